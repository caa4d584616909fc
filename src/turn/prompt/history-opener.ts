import type { FileShower } from '../../attachments/show/show-files.js';
import type { TurnEventBody } from '../../events/turn-event.js';
import type { Todo } from '../../storage/shapes/todo.js';
import type { TurnTranscript } from './build-messages.js';
import { compactForTurn } from './turn-compactor.js';
import { elideForGood } from './elide-for-good.js';
import { elideOutputs } from './elide-outputs.js';
import type { StoredTurn } from '../state/load-turn.js';
import type { RequestFrame } from './request-frame.js';
import { sentTurns } from './sent-turns.js';
import { fullContext, toTranscripts } from './transcript-builder.js';
import { contextBefore } from '../state/turn-context.js';
import type { Compaction } from '../queue/turn-claims.js';
import type { Attempt } from '../state/turn-run.js';
import type { TurnServices } from '../state/turn-services.js';

/** Turns that are never summarised: the last one is what the user refers to. */
const KEPT_TURNS = 1;

export interface History {
  earlierTurns: TurnTranscript[];
  /** What stands for the turns before them. */
  summary: string | undefined;
  /** The summary, when this turn is the first to get it. */
  compaction: Compaction | undefined;
}

export interface HistorySource {
  earlier: readonly StoredTurn[];
  todos: readonly Todo[] | null;
  compaction: Compaction | null;
  /** What the requests of the turn have beside the conversation. */
  frame: RequestFrame;
  /** Has shown the files of this turn. */
  shower: FileShower;
}

/**
 * The conversation before a turn, as the model is shown it. One that fills too much of the window
 * is summarised; where that fails, or the turn cannot pay for it, the old outputs of tools are cut
 * instead: a turn is never lost to it.
 */
export async function openHistory(
  services: TurnServices,
  attempt: Attempt,
  source: HistorySource,
): Promise<History> {
  const before = source.compaction ?? undefined;
  const after = afterCompaction(source.earlier, before?.throughTurnId);
  const kept = sentTurns(after, attempt.storedParts);
  const untold = isTold(after, before) ? undefined : before;
  const all = await toTranscripts(services, kept, source.shower);
  const { model } = attempt.turn.options.options;
  const full = fullContext(services, model);
  // A turn that has steps was sent this conversation before: it goes on with the same bytes.
  const hasBegun = attempt.progress.steps.length > 0;
  const tokens = contextBefore(kept);
  const whole = { earlierTurns: all, summary: before?.summary, compaction: untold };
  if (hasBegun || tokens < full || kept.length <= KEPT_TURNS) return whole;
  const [turns, last] = [all.slice(0, -KEPT_TURNS), all.slice(-KEPT_TURNS)];
  const made = await compactForTurn(services, attempt, {
    turns,
    summary: before?.summary,
    contextTokens: tokens,
    todos: source.todos ?? [],
    files: namesOfFiles(source.earlier),
    frame: source.frame,
  });
  if (!('problem' in made)) {
    return { earlierTurns: last, summary: made.summary, compaction: made };
  }
  attempt.writer.emit(notCompacted(made.problem));
  await elideForGood(
    services.db,
    turns.map(({ turnId }) => turnId),
  );
  const cut = turns.map((turn) => elideOutputs(turn));
  return { ...whole, earlierTurns: [...cut, ...last] };
}

function notCompacted(problem: string): TurnEventBody {
  return {
    type: 'notice.posted',
    kind: 'compaction-failed',
    level: 'message',
    text: `The conversation could not be summarised: ${problem}. The old outputs of tools were cut to their beginnings.`,
    seenByModel: false,
  };
}

/** Of every turn there was: a summary of summaries names them too. */
export function namesOfFiles(turns: readonly StoredTurn[]): string[] {
  const names = turns.flatMap(({ userParts }) =>
    userParts.flatMap((part) => (part.type === 'text' ? [] : [part.file.name])),
  );
  return [...new Set(names)];
}

/** Turns that no summary stands for. */
export function afterCompaction(
  turns: readonly StoredTurn[],
  throughTurnId: string | undefined,
): readonly StoredTurn[] {
  return turns.slice(turns.findIndex(({ turn }) => turn.id === throughTurnId) + 1);
}

function isTold(turns: readonly StoredTurn[], compaction: Compaction | undefined): boolean {
  if (compaction === undefined) return false;
  const mark = compactionMark(compaction.id);
  return turns.some(({ notices }) => notices.some((notice) => notice.mark === mark));
}

/** The mark of the notice that tells of a summary. */
function compactionMark(id: string): string {
  return `compact-summary:${id}`;
}
