import { Inject, Injectable } from '@nestjs/common';
import { Poller } from '../../platform/async/poller.js';
import { CLOCK, type Clock } from '../../platform/clock.js';
import { LOGGER, type Logger } from '../../platform/logger.js';
import { ApprovalStore } from '../approvals/approval-store.js';
import { AbandonedTurns } from '../lifecycle/abandoned-turns.js';
import { TurnCanceller } from '../lifecycle/turn-canceller.js';
import { TurnPromoter } from '../lifecycle/turn-promoter.js';
import { TurnClaims } from '../queue/turn-claims.js';
import { TURN_QUEUE, type TurnQueue } from '../queue/turn-queue.js';

/** Interval of the sweeps, in ms. */
const SWEEP_MS = 500;

/** A token is taken in milliseconds where a slot is free: after these, in ms, that of a queued turn may be lost. */
const LOST_TOKEN_MS = 1_000;

/** Interval at which subagents without a parent are looked for, in ms. */
const ORPHANS_MS = 5_000;

/**
 * Sweeps for turns that lost their worker, their token, their readers or what was to wake them, and
 * decides approvals whose time is over. Any number of processes may sweep beside each other.
 */
@Injectable()
export class Sweeper {
  readonly #poller: Poller;
  #lookForOrphansAt = 0;

  constructor(
    @Inject(TurnClaims)
    private readonly claims: Pick<
      TurnClaims,
      'claimable' | 'wake' | 'wakeable' | 'unwanted' | 'stuckSessions' | 'orphans'
    >,
    @Inject(TURN_QUEUE) private readonly queue: Pick<TurnQueue, 'wake' | 'depth'>,
    @Inject(ApprovalStore) private readonly approvals: Pick<ApprovalStore, 'expire'>,
    @Inject(AbandonedTurns)
    private readonly abandoned: Pick<AbandonedTurns, 'cancel' | 'startOver'>,
    @Inject(TurnPromoter) private readonly promoter: Pick<TurnPromoter, 'promoteNext'>,
    @Inject(TurnCanceller) private readonly canceller: Pick<TurnCanceller, 'cancel' | 'endIdle'>,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(LOGGER) private readonly logger: Pick<Logger, 'info' | 'warn'>,
  ) {
    this.#poller = new Poller(() => this.#sweep(), {
      clock,
      waitMs: () => SWEEP_MS,
      onError: (error) => {
        this.abandoned.startOver();
        logger.warn(
          { error },
          'turns that lost their worker could not be looked for: it is tried again in half a second',
        );
      },
    });
  }

  /** Wakes workers for the turns that an earlier process left, then sweeps at intervals. */
  async start(): Promise<void> {
    const turns = await this.#wakeWorkers(0);
    if (turns > 0) this.logger.info({ turns }, 'unfinished turns picked up');
    // Readers that leave from now on are seen to leave.
    await this.abandoned.cancel();
    this.#poller.later();
  }

  stop(): void {
    void this.#poller.stop();
  }

  async #sweep(): Promise<void> {
    await this.approvals.expire();
    await this.#resumeAnswered();
    await this.#freeHeld();
    await this.#wakeWorkers(LOST_TOKEN_MS);
    await this.abandoned.cancel();
    const now = this.clock.now();
    if (now < this.#lookForOrphansAt) return;
    this.#lookForOrphansAt = now + ORPHANS_MS;
    await this.#endOrphans();
  }

  /** Adds a token where turns can be claimed and there is none. @returns the number of turns. */
  async #wakeWorkers(queuedMs: number): Promise<number> {
    const turns = await this.claims.claimable(queuedMs);
    if (turns > 0 && (await this.queue.depth()) === 0) await this.queue.wake();
    return turns;
  }

  /** Resumes parked turns whose answers are there. */
  async #resumeAnswered(): Promise<void> {
    await this.claims.wake(await this.claims.wakeable());
  }

  /** Ends held turns that were asked to end, then promotes those that no active turn holds. */
  async #freeHeld(): Promise<void> {
    for (const { id, reason } of await this.claims.unwanted()) {
      await this.canceller.endIdle(id, { reason, which: 'unstarted' });
    }
    for (const sessionId of await this.claims.stuckSessions()) {
      await this.promoter.promoteNext(sessionId);
    }
  }

  /** Cancels subagents whose parent has ended. */
  async #endOrphans(): Promise<void> {
    for (const turnId of await this.claims.orphans()) {
      await this.canceller.cancel(turnId, 'parent-ended');
    }
  }
}
