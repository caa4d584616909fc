import { Inject, Injectable } from '@nestjs/common';
import type { Stored } from '../../events/turn-commits.js';
import { LOGGER, type Logger } from '../../platform/logger.js';
import { attributes } from '../../tracing/span-names.js';
import { classifyFailure } from '../attempt/classify-failure.js';
import { endTurn } from '../lifecycle/end-turn.js';
import { LogFlusher } from '../lifecycle/log-flusher.js';
import { TurnPromoter } from '../lifecycle/turn-promoter.js';
import type { Ending } from '../loop/next-action.js';
import type { Attempt } from '../state/attempt.js';
import type { WithoutSlot } from '../state/worker-terms.js';
import { SubagentCanceller } from '../subagents/subagent-canceller.js';

/** Ends turns with their subagents, and sees to what follows an end. */
@Injectable()
export class AttemptEnder {
  constructor(
    private readonly subagents: SubagentCanceller,
    private readonly promoter: TurnPromoter,
    private readonly logs: LogFlusher,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /** Ends a turn whose loop has an ending; see `endTurn`. */
  async end(attempt: Attempt, ending: Ending, withoutSlot: WithoutSlot): Promise<Stored> {
    await this.subagents.cancelAll(attempt, withoutSlot);
    return endTurn(attempt, ending);
  }

  /**
   * Ends a turn whose loop threw, unless the turn is left to its next attempt.
   *
   * @throws what the end throws, but where the turn was taken over or the database is down.
   */
  async endThrown(
    attempt: Attempt,
    thrown: unknown,
    withoutSlot: WithoutSlot,
  ): Promise<'left' | { hasNext: boolean }> {
    const { lease, logger, writer, span } = attempt;
    const fate = classifyFailure(thrown, lease.reason);
    if (fate.type === 'leave') {
      logger.info({ lease: lease.reason }, 'turn left to its next attempt');
      span?.set({ [attributes.outcome]: 'left', [attributes.reason]: lease.reason ?? 'storage' });
      if (lease.reason === 'lost') span?.fail('lease_lost');
      return 'left';
    }
    if (fate.fault !== undefined) logger.error({ error: fate.fault }, 'the loop failed');
    writer.reopen();
    await this.subagents.cancelAll(attempt, withoutSlot);
    try {
      const ended = await endTurn(attempt, fate.ending, fate.failure);
      return { hasNext: ended.type === 'stored' && ended.hasNext };
    } catch (error) {
      // The turn was taken over, or the database went down, after the lease had its reason.
      if (classifyFailure(error, undefined).type !== 'leave') throw error;
      logger.info({ error }, 'the end could not be stored: turn left to its next attempt');
      return 'left';
    }
  }

  /** Closes the log of a turn that has ended; the next turn of the session is promoted first. */
  async close(attempt: Attempt, { hasNext }: { hasNext: boolean }): Promise<void> {
    if (hasNext) await this.#promoteNext(attempt.turn.sessionId);
    await this.logs.flush(attempt);
  }

  /** The sweeper promotes where this fails. */
  async #promoteNext(sessionId: string): Promise<void> {
    try {
      await this.promoter.promoteNext(sessionId);
    } catch (error) {
      this.logger.warn({ sessionId, error }, 'a held turn was not let go');
    }
  }
}
