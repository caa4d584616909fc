import { Inject, Injectable } from '@nestjs/common';
import { CLOCK, type Clock } from '../../platform/clock.js';
import { LOGGER, type Logger } from '../../platform/logger.js';
import { ApprovalStore } from '../approvals/approval-store.js';
import { AbandonedTurns } from '../lifecycle/abandoned-turns.js';
import { TurnClaims } from '../queue/turn-claims.js';
import { TURN_QUEUE, type TurnQueue } from '../queue/turn-queue.js';
import { StrandedTurns } from './stranded-turns.js';

/** Interval of the sweeps, in ms. */
const SWEEP_MS = 500;

/** A job is taken in milliseconds: a turn that is queued for this long, in ms, may have lost its job. */
const LOST_JOB_MS = 5_000;

/**
 * Sweeps for turns that lost their worker, their job, their readers or what was to wake them, and
 * decides approvals whose time is over. Any number of processes may sweep beside each other.
 */
@Injectable()
export class Sweeper {
  #cancelTimer = (): void => undefined;
  #stopped = false;
  #lookForJobsAt = 0;

  constructor(
    @Inject(TurnClaims) private readonly claims: Pick<TurnClaims, 'lapsed' | 'unclaimed'>,
    @Inject(TURN_QUEUE) private readonly queue: Pick<TurnQueue, 'enqueue'>,
    @Inject(ApprovalStore) private readonly approvals: Pick<ApprovalStore, 'expire'>,
    @Inject(AbandonedTurns)
    private readonly abandoned: Pick<AbandonedTurns, 'cancel' | 'startOver'>,
    private readonly stranded: StrandedTurns,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(LOGGER) private readonly logger: Pick<Logger, 'info' | 'warn'>,
  ) {}

  /** Enqueues the turns that an earlier process left, then sweeps at intervals. */
  async start(): Promise<void> {
    const recovered = (await this.#recover()) + (await this.#requeue(0));
    if (recovered > 0) this.logger.info({ turns: recovered }, 'unfinished turns picked up');
    // Readers that leave from now on are seen to leave.
    await this.abandoned.cancel();
    this.#schedule();
  }

  stop(): void {
    this.#stopped = true;
    this.#cancelTimer();
  }

  #schedule(): void {
    if (this.#stopped) return;
    this.#cancelTimer = this.clock.after(SWEEP_MS, () => {
      this.#sweep()
        .catch((error: unknown) => {
          this.abandoned.startOver();
          this.logger.warn({ error }, 'the sweep failed');
        })
        .finally(() => this.#schedule());
    });
  }

  async #sweep(): Promise<void> {
    await this.approvals.expire();
    await this.stranded.wake();
    await this.stranded.freeHeld();
    await this.#recover();
    await this.abandoned.cancel();
    const now = this.clock.now();
    if (now < this.#lookForJobsAt) return;
    this.#lookForJobsAt = now + LOST_JOB_MS;
    await this.#requeue(LOST_JOB_MS);
    await this.stranded.endOrphans();
  }

  async #recover(): Promise<number> {
    const turnIds = await this.claims.lapsed();
    if (turnIds.length > 0) await this.queue.enqueue(turnIds, 'recovered');
    return turnIds.length;
  }

  async #requeue(waitedMs: number): Promise<number> {
    const turnIds = await this.claims.unclaimed(waitedMs);
    if (turnIds.length > 0) await this.queue.enqueue(turnIds, 'normal');
    return turnIds.length;
  }
}
