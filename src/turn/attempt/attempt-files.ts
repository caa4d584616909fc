import { Inject, Injectable } from '@nestjs/common';
import { Attachments } from '../../attachments/attachments.js';
import type { Requester } from '../../attachments/requester.js';
import { maxNativeBytes } from '../../attachments/choose-showing.js';
import { shownEvents, type ShownFile } from '../../attachments/shown-events.js';
import type { FileShower } from '../../attachments/show-files.js';
import type { TurnEvent, TurnEventBody } from '../../events/turn-event.js';
import { untilAborted } from '../../platform/async/abort.js';
import { canonicalJson } from '../../platform/json.js';
import type { UserPart } from '../../provider/model-types.js';
import type { StoredPart } from '../../storage/shapes/stored-part.js';
import { FileShowers } from '../prompt/file-showers.js';
import { afterCompaction } from '../prompt/history-opener.js';
import { sentTurns } from '../prompt/sent-turns.js';
import type { Compaction } from '../queue/claim-statements.js';
import type { StoredTurn } from '../state/load-turn.js';
import type { Attempt } from '../state/attempt.js';
import type { WithoutSlot } from '../state/worker-terms.js';

interface FileSource {
  /** The session's other turns, oldest first. */
  earlier: readonly StoredTurn[];
  compaction: Compaction | null;
  withoutSlot: WithoutSlot;
}

/** Prepares the files of an attempt. */
@Injectable()
export class AttemptFiles {
  constructor(
    @Inject(Attachments) private readonly attachments: Pick<Attachments, 'memory'>,
    private readonly showers: FileShowers,
  ) {}

  /**
   * Extracts the files of the turn and of the conversation before it, then reserves memory for them: a
   * turn that waits for slow files has neither memory nor a slot.
   *
   * @returns releases the memory.
   * @throws the lease's reason when it ends.
   */
  async prepare(
    attempt: Attempt,
    { earlier, compaction, withoutSlot }: FileSource,
  ): Promise<() => void> {
    const { storedParts } = attempt;
    const shower = this.openShower(attempt, withoutSlot);
    // Files in the order in which they are shown, the newest first.
    await shower.extract(storedParts);
    const sent = sentTurns(afterCompaction(earlier, compaction?.throughTurnId), storedParts);
    for (const { userParts } of sent.toReversed()) await shower.extract(userParts);
    const parts = [...earlier.flatMap(({ userParts }) => userParts), ...storedParts];
    const bytes = Math.min(maxNativeBytes, sizeOf(parts));
    return this.attachments.memory.reserve(bytes, requesterOf(attempt, withoutSlot));
  }

  openShower(attempt: Attempt, withoutSlot: WithoutSlot): FileShower {
    const { sessionId, options } = attempt.turn;
    const requester = requesterOf(attempt, withoutSlot);
    return this.showers.open(options.options, { sessionId, requester });
  }
}

/** The turn gives its slot away while its files are extracted, and waits no longer than its lease. */
function requesterOf({ turn, lease }: Attempt, withoutSlot: WithoutSlot): Requester {
  return {
    principalId: turn.principalId,
    wait: (work) => untilAborted(withoutSlot(work), lease.signal),
  };
}

function sizeOf(parts: readonly StoredPart[]): number {
  return parts.reduce((sum, part) => sum + (part.type === 'file' ? part.file.size : 0), 0);
}

/** The user's message as the model is sent it; how its files are shown is emitted once a turn. */
export async function showMessage(attempt: Attempt, shower: FileShower): Promise<UserPart[]> {
  const { parts, files } = await shower.show(attempt.storedParts);
  for (const event of newEvents(files, attempt.archived)) attempt.writer.emit(event);
  return parts;
}

/** An earlier attempt may have emitted some. */
function newEvents(files: readonly ShownFile[], archived: readonly TurnEvent[]): TurnEventBody[] {
  const known = new Set(
    archived.map(({ at: _at, seq: _seq, attempt: _attempt, ...body }) => canonicalJson(body)),
  );
  return shownEvents(files).filter((event) => !known.has(canonicalJson(event)));
}
