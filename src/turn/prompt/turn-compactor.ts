import { addUsage, noUsage } from '../../events/turn-event.js';
import { describeDayShortage } from '../../governance/limits/day-limit-reached.js';
import { findPaidHeadroom } from '../budgets/find-headroom.js';
import { settleSummary } from '../budgets/settle-summary.js';
import { compactSession, summaryTokens, type CompactSource } from './compact-session.js';
import type { Compaction } from '../queue/turn-claims.js';
import type { Attempt } from '../state/turn-run.js';
import type { TurnServices } from '../state/turn-services.js';
import { addOverhead } from '../state/turn-state.js';

/**
 * Has the conversation before a turn summarised, at the turn's expense: only where its budgets pay
 * for it, and whatever comes of it.
 *
 * @returns the summary, or why there is none, for clients.
 * @throws the lease's reason when it ends.
 */
export async function compactForTurn(
  { db, provider, models, clock, logger }: TurnServices,
  attempt: Attempt,
  source: Omit<CompactSource, 'sessionId' | 'reason'>,
): Promise<Compaction | { problem: string }> {
  const { turn, lease, progress } = attempt;
  const { model, costLimit } = turn.options.options;
  const problem = findShortage(attempt, source);
  if (problem !== undefined) return { problem };
  // A recovery finds what was spent by this time, whosever clock it is.
  const now = new Date(Math.max(clock.now(), (turn.startedAt ?? turn.createdAt).getTime()));
  let spent = noUsage;
  const { principalId, sessionId, budget: limits } = turn;
  const { price } = models.describe(model);
  const { contextTokens } = source;
  try {
    const made = await settleSummary(
      { db, clock, logger, signal: lease.signal },
      { principalId, limits, price, contextTokens },
      (onUsage) =>
        compactSession(
          { db, provider, now, onUsage: (usage) => onUsage((spent = usage)) },
          { ...source, sessionId, reason: 'automatic' },
          lease.signal,
        ),
    );
    return 'shortage' in made ? { problem: describeDayShortage(made.shortage) } : made;
  } catch (error) {
    lease.signal.throwIfAborted();
    logger.warn({ turnId: turn.id, error }, 'the conversation could not be compacted');
    return { problem: 'the model gave no summary' };
  } finally {
    progress.overhead = addUsage(progress.overhead, spent);
    progress.state = addOverhead(progress.state, spent, costLimit);
  }
}

/** The budget that has no room for a summary, in words; undefined where there is room. */
function findShortage(
  { turn, progress }: Attempt,
  { contextTokens }: Pick<CompactSource, 'contextTokens'>,
): string | undefined {
  const { input, reply } = summaryTokens(contextTokens);
  const { costLimit } = turn.options.options;
  const room = findPaidHeadroom(progress.state, { input, cached: 0 }, costLimit);
  if (room.reply >= reply) return undefined;
  const name = room.budget === 'token_budget' ? "session's token budget" : "turn's limit of cost";
  return `what is left of the ${name} does not pay for it. Raise it, or compact the session by request`;
}
