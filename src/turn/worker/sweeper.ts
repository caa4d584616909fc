import type { CancelReason } from '../../storage/shapes/stored-turn.js';
import type { Clock } from '../../platform/clock.js';
import type { Logger } from '../../platform/logger.js';
import type { ApprovalStore } from '../approvals/approval-store.js';
import type { AbandonedTurns } from '../lifecycle/abandoned-turns.js';
import type { TurnClaims } from '../queue/turn-claims.js';
import type { TurnQueue } from '../queue/turn-queue.js';

/** Between two looks for turns whose worker or whose readers are gone, in ms. */
const SWEEP_MS = 500;

/** A job is picked up in milliseconds: a turn that waits this long, in ms, may have lost its own. */
const LOST_JOB_MS = 5_000;

export interface SweeperDeps {
  claims: Pick<
    TurnClaims,
    'lapsed' | 'waiting' | 'wake' | 'wakeable' | 'unwanted' | 'stuckSessions' | 'orphans'
  >;
  approvals: Pick<ApprovalStore, 'expire'>;
  abandoned: Pick<AbandonedTurns, 'cancel' | 'startOver'>;
  queue: Pick<TurnQueue, 'enqueue'>;
  /** Lets the first held turn of a session go. */
  letNextGo(sessionId: string): Promise<void>;
  /** Asks for the end of a subagent without a parent. */
  endOrphan(turnId: string): Promise<void>;
  /** Ends a held turn that was asked to end. */
  endUnwanted(turnId: string, reason: CancelReason): Promise<void>;
  clock: Clock;
  logger: Logger;
}

/**
 * Looks after turns that nobody looks after: enqueues again what lost its worker or its job,
 * cancels what lost its readers, decides what people did not, and lets go what is held behind
 * nothing. Any number of processes may do so beside each other.
 */
export class Sweeper {
  #cancelTimer = (): void => undefined;
  #stopped = false;
  #lookForJobsAt = 0;

  constructor(private readonly deps: SweeperDeps) {}

  /** Picks up what an earlier process left, then sweeps again and again. */
  async start(): Promise<void> {
    const recovered = (await this.#recover()) + (await this.#requeue(0));
    if (recovered > 0) this.deps.logger.info({ turns: recovered }, 'unfinished turns picked up');
    // Whoever leaves from now on has been seen to leave.
    await this.deps.abandoned.cancel();
    this.#schedule();
  }

  stop(): void {
    this.#stopped = true;
    this.#cancelTimer();
  }

  #schedule(): void {
    if (this.#stopped) return;
    this.#cancelTimer = this.deps.clock.after(SWEEP_MS, () => {
      this.#sweep()
        .catch((error: unknown) => {
          this.deps.abandoned.startOver();
          this.deps.logger.warn({ error }, 'the sweep failed');
        })
        .finally(() => this.#schedule());
    });
  }

  async #sweep(): Promise<void> {
    await this.deps.approvals.expire();
    await this.#wake();
    await this.#freeHeld();
    await this.#recover();
    await this.deps.abandoned.cancel();
    const now = this.deps.clock.now();
    if (now < this.#lookForJobsAt) return;
    this.#lookForJobsAt = now + LOST_JOB_MS;
    await this.#requeue(LOST_JOB_MS);
    for (const turnId of await this.deps.claims.orphans()) await this.deps.endOrphan(turnId);
  }

  /** Turns that wait and need not: whoever was to wake them did not. */
  async #wake(): Promise<void> {
    const { claims } = this.deps;
    await claims.wake(await claims.wakeable());
  }

  /** Whoever ended the turn before them, or was to end them, did not get so far. */
  async #freeHeld(): Promise<void> {
    const { claims, letNextGo, endUnwanted } = this.deps;
    for (const { id, reason } of await claims.unwanted()) await endUnwanted(id, reason);
    for (const sessionId of await claims.stuckSessions()) await letNextGo(sessionId);
  }

  async #recover(): Promise<number> {
    const turnIds = await this.deps.claims.lapsed();
    if (turnIds.length > 0) await this.deps.queue.enqueue(turnIds, 'recovered');
    return turnIds.length;
  }

  async #requeue(waitedMs: number): Promise<number> {
    const turnIds = await this.deps.claims.waiting(waitedMs);
    if (turnIds.length > 0) await this.deps.queue.enqueue(turnIds, 'normal');
    return turnIds.length;
  }
}
