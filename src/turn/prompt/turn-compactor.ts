import { Inject, Injectable } from '@nestjs/common';
import { addUsage, noUsage } from '../../events/turn-event.js';
import { describeDayShortage } from '../../governance/limits/day-budget.js';
import { CLOCK, type Clock } from '../../platform/clock.js';
import { AnthropicProvider } from '../../provider/anthropic/anthropic-provider.js';
import { ModelCatalogue } from '../../provider/model-catalogue.js';
import { DATABASE, type Database } from '../../storage/connection.js';
import { findPaidHeadroom } from '../../governance/limits/find-headroom.js';
import { settleSummary } from '../budgets/settle-summary.js';
import type { Compaction, Attempt } from '../state/attempt.js';
import { addOverhead } from '../state/turn-state.js';
import { compactSession, summaryTokens, type CompactSource } from './compact-session.js';

/** Compacts the conversation before a turn, at the expense of the turn. */
@Injectable()
export class TurnCompactor {
  constructor(
    @Inject(DATABASE) private readonly db: Database,
    private readonly provider: AnthropicProvider,
    private readonly models: ModelCatalogue,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /**
   * Compacts where the budgets of the turn pay for a summary.
   *
   * @returns the summary, or why there is none, in words for clients.
   * @throws the lease's reason when it ends.
   */
  async compact(
    attempt: Attempt,
    source: Omit<CompactSource, 'sessionId' | 'reason'>,
  ): Promise<Compaction | { problem: string }> {
    const { db, provider, clock } = this;
    const { turn, lease, progress, logger } = attempt;
    const { model, costLimit } = turn.options.options;
    const problem = findShortage(attempt, source);
    if (problem !== undefined) return { problem };
    // A takeover finds the expense by this time, whichever process has the later clock.
    const now = new Date(Math.max(clock.now(), (turn.startedAt ?? turn.createdAt).getTime()));
    let spent = noUsage;
    const { principalId, sessionId, budget: limits } = turn;
    const { price } = this.models.describe(model);
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
      logger.warn({ error }, 'the conversation could not be compacted');
      return { problem: 'the model gave no summary' };
    } finally {
      progress.overhead = addUsage(progress.overhead, spent);
      progress.state = addOverhead(progress.state, spent, costLimit);
    }
  }
}

/** The budget that cannot pay for a summary, in words; undefined: each can. */
function findShortage(
  { turn, progress }: Attempt,
  { contextTokens }: Pick<CompactSource, 'contextTokens'>,
): string | undefined {
  const { input, reply } = summaryTokens(contextTokens);
  const { costLimit } = turn.options.options;
  const headroom = findPaidHeadroom(progress.state, { input, cached: 0 }, costLimit);
  if (headroom.reply >= reply) return undefined;
  const name =
    headroom.budget === 'token_budget' ? "session's token budget" : "turn's limit of cost";
  return `what is left of the ${name} does not pay for it. Raise it, or compact the session by request`;
}
