import type { Attachments } from '../../attachments/attachments.js';
import {
  isImage,
  maxNativeBytes,
  shownEvents,
  shownFilesOf,
  type ShownFile,
} from '../../attachments/choose-display.js';
import type { Requester } from '../../attachments/file-memory.js';
import { AttachmentRenderer } from '../../attachments/attachment-renderer.js';
import {
  clientNotice,
  type NoticePosted,
  type TurnEvent,
  type TurnEventBody,
} from '../../events/turn-event.js';
import { untilAborted } from '../../platform/async/deadlines.js';
import { compact } from '../../platform/compact.js';
import { canonicalJson } from '../../platform/json.js';
import type { ModelCatalogue } from '../../provider/model-catalogue.js';
import type { UserPart } from '../../provider/model-types.js';
import type { ResolvedOptions } from '../../storage/shapes/stored-options.js';
import type { Attempt } from '../state/attempt.js';
import type {
  AttemptContext,
  ShownFiles,
  ShownResult,
  TurnTranscript,
} from '../state/attempt-context.js';
import type { AttachmentRef, StoredPart } from '../../storage/shapes/stored-step.js';
import { currentTurn, openedTurn } from './model-request.js';

/** Names of files that a notice lists at most. */
const MAX_NAMES = 10;

interface FileSources {
  /** Opens a renderer for a conversation with so many pictures, by the options in force. */
  open(images: number): AttachmentRenderer;
  /** What a renderer of this turn depends on beside the files: another value shows all anew. */
  rules(): string;
  /** The turn that runs. */
  turnId: string;
  emit(event: TurnEventBody): void;
}

/** Shows the files of a run's conversation to the model, and shows them anew where their number or limits change. */
export class ConversationFiles implements ShownFiles {
  #shownFor: string | undefined;
  #limited = '';

  constructor(private readonly sources: FileSources) {}

  /**
   * Gives the turns with the files that the model is shown. A turn without files comes back unchanged, and so do all if
   * nothing has changed since the last call. The newest files are shown first, so that limits of the whole request
   * leave out the oldest.
   */
  async show(turns: readonly TurnTranscript[]): Promise<readonly TurnTranscript[]> {
    const withFiles = turns.filter(hasFiles);
    if (withFiles.length === 0 && this.#shownFor === undefined) return turns;
    const key = JSON.stringify([this.sources.rules(), withFiles.map(refsOf)]);
    if (key === this.#shownFor) return turns;
    const isFirst = this.#shownFor === undefined;
    const renderer = this.sources.open(countImages(withFiles));
    const shown: TurnTranscript[] = [];
    const limited: ShownFile[] = [];
    let own: ShownFile[] = [];
    for (const turn of turns.toReversed()) {
      if (!hasFiles(turn)) {
        shown.push(turn);
        continue;
      }
      const results = await showResults(renderer, turn);
      const message = await renderer.show(turn.asked ?? []);
      const userParts = turn.asked === undefined ? turn.userParts : message.parts;
      shown.push({ ...turn, userParts, results: results.results });
      const isOwn = turn.turnId === this.sources.turnId;
      if (isOwn) own = message.files;
      limited.push(...results.files, ...(isOwn && isFirst ? [] : message.files));
    }
    this.#shownFor = key;
    this.#tell(limited, { own, isFirst, hasNew: refsOf(turns.at(-1)).length > 0 });
    return shown.reverse();
  }

  #tell(
    files: readonly ShownFile[],
    { own, isFirst, hasNew }: { own: readonly ShownFile[]; isFirst: boolean; hasNew: boolean },
  ): void {
    const { emit } = this.sources;
    if (isFirst) for (const event of shownEvents(own)) emit(event);
    const limited = files.filter(({ limit }) => limit !== undefined);
    const found = JSON.stringify(limited);
    if (limited.length > 0 && found !== this.#limited && hasNew) emit(limitNotice(limited));
    this.#limited = found;
  }
}

/** The pictures in the messages and outputs of turns. */
function countImages(turns: readonly Pick<TurnTranscript, 'asked' | 'results'>[]): number {
  return turns.flatMap((turn) => [...filesOf(turn.asked), ...outputFiles(turn)]).filter(isImage)
    .length;
}

export function filesOf(parts: readonly StoredPart[] = []): AttachmentRef[] {
  return parts.flatMap((part) => (part.type === 'file' ? [part.file] : []));
}

function hasFiles({ asked = [], results }: TurnTranscript): boolean {
  return asked.some(({ type }) => type === 'file') || outputFiles({ results }).length > 0;
}

function outputFiles({ results }: Pick<TurnTranscript, 'results'>): AttachmentRef[] {
  return [...results.values()].flatMap(shownFilesOf);
}

function refsOf(turn: TurnTranscript | undefined): string[] {
  if (turn === undefined) return [];
  return [...filesOf(turn.asked), ...outputFiles(turn)].map(({ sha256 }) => sha256);
}

/** Shows the outputs of a turn, the newest first. */
async function showResults(renderer: AttachmentRenderer, { steps, results }: TurnTranscript) {
  const calls = steps.flatMap(({ parts }) => parts.filter((part) => part.type === 'tool_use'));
  const shownResults = new Map<string, ShownResult>(results);
  const shownFiles: ShownFile[] = [];
  for (const { id } of calls.toReversed()) {
    const result = results.get(id);
    const given = result === undefined ? [] : shownFilesOf(result);
    if (result === undefined || given.length === 0) continue;
    const { parts, files } = await renderer.show(
      given.map((file) => ({ type: 'file' as const, file })),
    );
    shownResults.set(id, { ...result, shown: parts });
    shownFiles.push(...files);
  }
  return { results: shownResults, files: shownFiles };
}

/** What limits of the whole request do to files that came before. */
function limitNotice(files: readonly ShownFile[]): NoticePosted {
  const reasons = [...new Set(files.map(({ limit }) => limit))];
  const lines = reasons.map((reason) => {
    const names = files.filter(({ limit }) => limit === reason).map(({ name }) => name);
    const more = names.length > MAX_NAMES ? `, and ${names.length - MAX_NAMES} more` : '';
    return `${reason}: ${names.slice(0, MAX_NAMES).join(', ')}${more}.`;
  });
  return clientNotice('message', 'files-limited', lines.join(' '), {
    files: files.map(({ name }) => name),
  });
}

/** The files of outputs as they are shown, by call. */
export function shownOutputs({
  results,
}: TurnTranscript): ReadonlyMap<string, readonly UserPart[]> {
  return new Map(
    [...results].flatMap(([id, { shown }]) => (shown === undefined ? [] : [[id, shown] as const])),
  );
}

/** Shows the files of an attempt's conversation as it is now. */
export async function showFiles(context: AttemptContext): Promise<void> {
  const { conversation } = context;
  const turns = await conversation.files.show([...conversation.earlierTurns, currentTurn(context)]);
  const own = turns.at(-1);
  if (own === undefined) return;
  conversation.earlierTurns = turns.slice(0, -1);
  conversation.userParts = own.userParts;
  conversation.outputFiles = shownOutputs(own);
}

/** Opens what shows the files of an attempt's conversation. */
export function openFiles(attempt: Attempt): ConversationFiles {
  const known = new Set(attempt.archived.map(keyOfEvent));
  return new ConversationFiles({
    open: (images) => openAttemptRenderer(attempt, images),
    rules: () => attempt.turn.options.options.model,
    turnId: attempt.turn.id,
    // An earlier attempt may have emitted some.
    emit: (event) => {
      if (!known.has(canonicalJson(event))) attempt.writer.emit(event);
    },
  });
}

/**
 * Extracts the files of a turn and of the conversation before it, then reserves memory for them: a turn that
 * waits for slow files has neither memory nor a slot.
 *
 * @param sent the turns with files of the conversation before.
 * @returns releases the memory.
 * @throws the lease's reason when it ends.
 */
export async function reserveFiles(
  attempt: Attempt,
  sent: readonly TurnTranscript[],
): Promise<() => void> {
  const turns = [...sent, openedTurn(attempt)].filter(hasFiles);
  if (turns.length === 0) return () => undefined;
  const renderer = openAttemptRenderer(attempt, countImages(turns));
  // Files in the order in which they are shown, the newest first.
  for (const { asked, results } of turns.toReversed()) {
    for (const result of [...results.values()].toReversed()) {
      await renderer.extract(shownFilesOf(result));
    }
    await renderer.extract(filesOf(asked));
  }
  const files = turns.flatMap((turn) => [...filesOf(turn.asked), ...outputFiles(turn)]);
  const bytes = Math.min(maxNativeBytes, sizeOf(files));
  return attempt.services.attachments.memory.reserve(bytes, requesterOf(attempt));
}

function openAttemptRenderer(attempt: Attempt, images: number): AttachmentRenderer {
  const { sessionId, options } = attempt.turn;
  const requester = requesterOf(attempt);
  return openRenderer(attempt.services, options.options, { sessionId, requester, images });
}

/** The turn gives its slot away while its files are extracted, and waits no longer than its lease. */
export function requesterOf({ turn, lease, releaseSlotWhile }: Attempt): Requester {
  return {
    principalId: turn.principalId,
    wait: (work) => untilAborted(releaseSlotWhile(work), lease.signal),
  };
}

/**
 * Opens a renderer for the files of one session, by the options of a turn.
 *
 * @param images of the conversation.
 */
export function openRenderer(
  { attachments, models }: { attachments: Attachments; models: ModelCatalogue },
  options: Pick<ResolvedOptions, 'model' | 'attachmentsAs' | 'contextNodes'>,
  { sessionId, requester, images }: { sessionId: string; requester: Requester; images: number },
): AttachmentRenderer {
  const { store, extractions } = attachments;
  const keep = (sha256: string): Promise<void> => store.keep(sessionId, [sha256]);
  const { model, attachmentsAs: preferredForm, contextNodes: maxFiles } = options;
  const { seesImages, readsPdfs, mostImages } = models.describe(model);
  const deps = { store, extractions, requester, keep };
  return new AttachmentRenderer(deps, {
    preferredForm,
    seesImages,
    readsPdfs,
    maxImages: mostImages,
    images,
    ...compact({ maxFiles }),
  });
}

function sizeOf(files: readonly AttachmentRef[]): number {
  return files.reduce((sum, { size }) => sum + size, 0);
}

function keyOfEvent({ at: _at, seq: _seq, attempt: _attempt, ...body }: TurnEvent): string {
  return canonicalJson(body);
}
