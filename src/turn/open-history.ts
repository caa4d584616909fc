import { loadAttachmentOrNote } from '../attachments/load-attachment.js';
import { loadParts } from '../attachments/load-parts.js';
import type { Todo } from '../notices/todo.js';
import type { ToolSpec } from '../provider/model-types.js';
import { traitsOf } from '../provider/model-traits.js';
import type { TurnTranscript } from './build-messages.js';
import { compactSession } from './compact-session.js';
import { elideOutputs } from './elide-outputs.js';
import type { StoredTurn } from './load-turn.js';
import { contextTokens } from './turn-context.js';
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
}

/**
 * The conversation before a turn, as the model is shown it. One that fills too much of the window
 * is summarised; where that fails, the old outputs of tools are cut instead: a turn is never lost
 * to it.
 */
export async function openHistory(
  services: TurnServices,
  attempt: Attempt,
  source: HistorySource,
): Promise<History> {
  const kept = afterCompaction(source.earlier, source.compaction?.throughTurnId);
  const untold = isTold(kept, source.compaction) ? undefined : (source.compaction ?? undefined);
  const all = await Promise.all(kept.map(toTranscript));
  const { model } = attempt.turn.options.options;
  const full = fullContext(services, model);
  // A turn that has steps was sent this conversation before: it goes on with the same bytes.
  const hasBegun = attempt.progress.steps.length > 0;
  const tokens = contextBefore(kept);
  if (hasBegun || tokens < full || kept.length <= KEPT_TURNS)
    return { earlierTurns: all, compaction: untold };
  const turns = all.slice(0, -KEPT_TURNS);
  const { db, provider, clock, logger } = services;
  try {
    const compaction = await compactSession(
      { db, provider, now: new Date(clock.now()) },
      {
        sessionId: attempt.turn.sessionId,
        model,
        turns,
        contextTokens: tokens,
        todos: source.todos ?? [],
        tools: source.tools,
        reason: 'automatic',
      },
      attempt.lease.signal,
    );
    return { earlierTurns: all.slice(-KEPT_TURNS), compaction };
  } catch (error) {
    attempt.lease.signal.throwIfAborted();
    logger.warn({ turnId: attempt.turn.id, error }, 'the conversation could not be compacted');
    attempt.writer.emit({
      type: 'notice.posted',
      kind: 'compaction-failed',
      level: 'message',
      text: 'The conversation could not be summarised; the old outputs of tools were cut to their beginnings.',
      seenByModel: false,
    });
    return {
      earlierTurns: [...turns.map((turn) => elideOutputs(turn)), ...all.slice(-KEPT_TURNS)],
      compaction: untold,
    };
  }
}

/** Tokens from which a model's window counts as full. */
export function fullContext({ settings }: Pick<TurnServices, 'settings'>, model: string): number {
  return traitsOf(model).contextWindow * (settings.compactPercent / 100);
}

/** Turns that no summary stands for. */
export function afterCompaction(
  turns: readonly StoredTurn[],
  throughTurnId: string | undefined,
): readonly StoredTurn[] {
  return turns.slice(turns.findIndex(({ turn }) => turn.id === throughTurnId) + 1);
}

/** Tokens of a conversation at the end of its last turn that reached the model. */
export function contextBefore(turns: readonly StoredTurn[]): number {
  const last = turns.flatMap(({ steps }) => steps).at(-1);
  return last === undefined ? 0 : contextTokens(last.usage);
}

export async function toTranscript(
  stored: StoredTurn,
): Promise<TurnTranscript & { turnId: string }> {
  return {
    turnId: stored.turn.id,
    userParts: await loadParts(stored.userParts, loadAttachmentOrNote),
    steps: stored.steps,
    results: new Map(stored.calls.map((call) => [call.callId, call])),
    notices: stored.notices,
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
