import type { FileShower } from '../attachments/show-files.js';
import type { TurnEventBody } from '../events/turn-event.js';
import type { Todo } from '../notices/todo.js';
import type { ToolSpec } from '../provider/model-types.js';
import type { TurnTranscript } from './build-messages.js';
import { compactForTurn } from './compact-for-turn.js';
import { elideOutputs } from './elide-outputs.js';
import type { StoredTurn } from './load-turn.js';
import { contextBefore } from './turn-context.js';
import type { Compaction } from './turn-claims.js';
import type { Attempt } from './turn-run.js';
import type { TurnServices } from './turn-services.js';

/** Turns that are never summarised: the last one is what the user refers to. */
const KEPT_TURNS = 1;

export interface History {
  earlierTurns: TurnTranscript[];
  /** The summary of what came before, when this turn is the first to get it. */
  compaction: Compaction | undefined;
}

export interface HistorySource {
  earlier: readonly StoredTurn[];
  todos: readonly Todo[] | null;
  compaction: Compaction | null;
  tools: ToolSpec[];
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
  const kept = afterCompaction(source.earlier, source.compaction?.throughTurnId);
  const untold = isTold(kept, source.compaction) ? undefined : (source.compaction ?? undefined);
  const all = await toTranscripts(kept, source.shower);
  const { model } = attempt.turn.options.options;
  const full = fullContext(services, model);
  // A turn that has steps was sent this conversation before: it goes on with the same bytes.
  const hasBegun = attempt.progress.steps.length > 0;
  const tokens = contextBefore(kept);
  if (hasBegun || tokens < full || kept.length <= KEPT_TURNS)
    return { earlierTurns: all, compaction: untold };
  const [turns, last] = [all.slice(0, -KEPT_TURNS), all.slice(-KEPT_TURNS)];
  const { todos, tools } = source;
  const made = await compactForTurn(services, attempt, {
    turns,
    contextTokens: tokens,
    todos: todos ?? [],
    tools,
  });
  if (!('problem' in made)) return { earlierTurns: last, compaction: made };
  attempt.writer.emit(notCompacted(made.problem));
  const cut = turns.map((turn) => elideOutputs(turn));
  return { earlierTurns: [...cut, ...last], compaction: untold };
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

/** Tokens from which a model's window counts as full. */
export function fullContext(
  { settings, models }: Pick<TurnServices, 'settings' | 'models'>,
  model: string,
): number {
  return models.describe(model).contextWindow * (settings.compactPercent / 100);
}

/** Turns that no summary stands for. */
export function afterCompaction(
  turns: readonly StoredTurn[],
  throughTurnId: string | undefined,
): readonly StoredTurn[] {
  return turns.slice(turns.findIndex(({ turn }) => turn.id === throughTurnId) + 1);
}

/** Turns as the model is shown them; the newest gets room for its files first. */
export async function toTranscripts(
  stored: readonly StoredTurn[],
  shower: FileShower,
): Promise<(TurnTranscript & { turnId: string })[]> {
  const transcripts = [];
  for (const turn of stored.toReversed()) transcripts.unshift(await toTranscript(turn, shower));
  return transcripts;
}

async function toTranscript(stored: StoredTurn, shower: FileShower) {
  return {
    turnId: stored.turn.id,
    userParts: (await shower.show(stored.userParts)).parts,
    steps: stored.steps,
    results: new Map(stored.calls.map((call) => [call.callId, call])),
    notices: stored.notices,
    joined: stored.joined,
    status: stored.turn.status,
    endReason: stored.turn.endReason,
  };
}

function isTold(turns: readonly StoredTurn[], compaction: Compaction | null): boolean {
  if (compaction === null) return false;
  const mark = compactionMark(compaction.id);
  return turns.some(({ notices }) => notices.some((notice) => notice.mark === mark));
}

/** The mark of the notice that gives a summary to the model. */
function compactionMark(id: string): string {
  return `compact-summary:${id}`;
}
