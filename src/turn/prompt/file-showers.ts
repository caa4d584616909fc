import type { ShownFile } from '../../attachments/show/shown-events.js';
import type { Requester } from '../../attachments/extract/requester.js';
import { FileShower } from '../../attachments/show/show-files.js';
import { shownEvents } from '../../attachments/show/shown-events.js';
import type { TurnEvent, TurnEventBody } from '../../events/turn-event.js';
import { untilAborted } from '../../platform/abort.js';
import { canonicalJson } from '../../platform/json.js';
import type { UserPart } from '../../provider/model-types.js';
import type { ResolvedOptions } from '../../storage/shapes/stored-options.js';
import type { Attempt, TurnRun } from '../state/turn-run.js';
import type { TurnServices } from '../state/turn-services.js';

/** Whose files are shown, and in which session. */
export interface Showing {
  sessionId: string;
  asker: Requester;
}

/** Shows the files of one conversation, as a turn's options and model have it. */
export function openShower(
  { attachments, models }: Pick<TurnServices, 'attachments' | 'models'>,
  options: Pick<ResolvedOptions, 'model' | 'attachmentsAs' | 'contextNodes'>,
  { sessionId, asker }: Showing,
): FileShower {
  const { store, extractions } = attachments;
  const keep = (sha256: string): Promise<void> => store.keep(sessionId, [sha256]);
  const { model, attachmentsAs: wanted, contextNodes: mostFiles } = options;
  const { seesImages, readsPdfs, mostImages } = models.describe(model);
  const deps = { store, extractions, requester: asker, keep };
  return new FileShower(deps, {
    wanted,
    seesImages,
    readsPdfs,
    mostImages,
    ...(mostFiles === undefined ? {} : { mostFiles }),
  });
}

/** A turn wants files read: it has no place on the worker while it waits, and waits no longer than it lives. */
export function askerOf(
  { turn, lease }: Attempt,
  { withoutSlot }: Pick<TurnRun, 'withoutSlot'>,
): Requester {
  return {
    principalId: turn.principalId,
    wait: (read) => untilAborted(withoutSlot(read), lease.signal),
  };
}

/** What the user said in this turn; the client is told how its files are shown, once. */
export async function showMessage(attempt: Attempt, shower: FileShower): Promise<UserPart[]> {
  const { parts, files } = await shower.show(attempt.storedParts);
  for (const event of untold(files, attempt.said)) attempt.writer.emit(event);
  return parts;
}

/** An earlier attempt may have told, and died. */
function untold(files: readonly ShownFile[], said: readonly TurnEvent[]): TurnEventBody[] {
  const told = new Set(said.map(({ at: _at, seq: _seq, attempt: _attempt, ...body }) => key(body)));
  return shownEvents(files).filter((event) => !told.has(key(event)));
}

const key = (event: TurnEventBody): string => canonicalJson(event);
