import type { Clock } from '../platform/clock.js';
import type { Logger } from '../platform/logger.js';
import type { AbandonedTurns } from './abandoned-turns.js';
import type { TurnClaims } from './turn-claims.js';
import type { TurnQueue } from './turn-queue.js';

/** Between two looks for turns whose worker or whose readers are gone, in ms. */
const SWEEP_MS = 500;

/** A job is picked up in milliseconds: a turn that waits this long, in ms, may have lost its own. */
const LOST_JOB_MS = 5_000;

export interface SweeperDeps {
  claims: Pick<TurnClaims, 'lapsed' | 'waiting'>;
  abandoned: Pick<AbandonedTurns, 'cancel'>;
  queue: Pick<TurnQueue, 'enqueue'>;
  clock: Clock;
  logger: Logger;
}

/**
 * Looks after turns that nobody looks after: enqueues again what lost its worker or its job, and
 * cancels what lost its readers. Any number of processes may do so beside each other.
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
        .catch((error: unknown) => this.deps.logger.warn({ error }, 'the sweep failed'))
        .finally(() => this.#schedule());
    });
  }

  async #sweep(): Promise<void> {
    await this.#recover();
    await this.deps.abandoned.cancel();
    const now = this.deps.clock.now();
    if (now < this.#lookForJobsAt) return;
    this.#lookForJobsAt = now + LOST_JOB_MS;
    await this.#requeue(LOST_JOB_MS);
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
