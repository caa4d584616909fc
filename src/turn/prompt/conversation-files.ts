import { isImage, shownEvents, type ShownFile } from '../../attachments/choose-showing.js';
import type { FileShower } from '../../attachments/show-files.js';
import { clientNotice, type NoticePosted, type TurnEventBody } from '../../events/turn-event.js';
import type { UserPart } from '../../provider/model-types.js';
import type { AttachmentRef, StoredPart } from '../../storage/shapes/stored-step.js';
import type { ShownResult, TurnTranscript } from './build-messages.js';

/** Names of files that a notice lists at most. */
const MOST_NAMES = 10;

export interface FileSources {
  /** Opens a shower for a conversation with so many pictures, by the options in force. */
  open(images: number): FileShower;
  /** What a shower of this turn depends on beside the files: another value shows all anew. */
  rules(): string;
  /** The turn that runs. */
  turnId: string;
  emit(event: TurnEventBody): void;
}

/** Shows the files of a run's conversation to the model, and shows them anew where their number or limits change. */
export class ConversationFiles {
  #shownFor: string | undefined;
  #limited = '';

  constructor(private readonly sources: FileSources) {}

  /**
   * The turns with their files as the model is shown them: whole turns as they are where nothing changed since the last
   * call. The newest files are shown first, as limits of the whole request leave the oldest out.
   */
  async show(turns: readonly TurnTranscript[]): Promise<readonly TurnTranscript[]> {
    const key = JSON.stringify([this.sources.rules(), turns.map(refsOf)]);
    if (key === this.#shownFor) return turns;
    const isFirst = this.#shownFor === undefined;
    const shower = this.sources.open(countImages(turns));
    const shown: TurnTranscript[] = [];
    const limited: ShownFile[] = [];
    let own: ShownFile[] = [];
    for (const turn of turns.toReversed()) {
      const results = await showResults(shower, turn);
      const message = await shower.show(turn.asked ?? []);
      const userParts = turn.asked === undefined ? turn.userParts : message.parts;
      shown.unshift({ ...turn, userParts, results: results.results });
      const isOwn = turn.turnId === this.sources.turnId;
      if (isOwn) own = message.files;
      limited.push(...results.files, ...(isOwn && isFirst ? [] : message.files));
    }
    this.#shownFor = key;
    this.#tell(limited, { own, isFirst, hasNew: refsOf(turns.at(-1)).length > 0 });
    return shown;
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
export function countImages(turns: readonly Pick<TurnTranscript, 'asked' | 'results'>[]): number {
  return turns.flatMap((turn) => [...filesOf(turn.asked), ...outputFiles(turn)]).filter(isImage)
    .length;
}

export function filesOf(parts: readonly StoredPart[] = []): AttachmentRef[] {
  return parts.flatMap((part) => (part.type === 'file' ? [part.file] : []));
}

function outputFiles({ results }: Pick<TurnTranscript, 'results'>): AttachmentRef[] {
  return [...results.values()].flatMap(({ files }) => files ?? []);
}

function refsOf(turn: TurnTranscript | undefined): string[] {
  if (turn === undefined) return [];
  return [...filesOf(turn.asked), ...outputFiles(turn)].map(({ sha256 }) => sha256);
}

/** Shows the outputs of a turn, the newest first. */
async function showResults(shower: FileShower, { steps, results }: TurnTranscript) {
  const calls = steps.flatMap(({ parts }) => parts.filter((part) => part.type === 'tool_use'));
  const shownResults = new Map<string, ShownResult>(results);
  const shownFiles: ShownFile[] = [];
  for (const { id } of calls.toReversed()) {
    const result = results.get(id);
    if (result?.files === undefined || result.files === null) continue;
    const { parts, files } = await shower.show(
      result.files.map((file) => ({ type: 'file' as const, file })),
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
    const more = names.length > MOST_NAMES ? `, and ${names.length - MOST_NAMES} more` : '';
    return `${reason}: ${names.slice(0, MOST_NAMES).join(', ')}${more}.`;
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
