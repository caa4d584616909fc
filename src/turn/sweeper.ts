import type { Clock } from '../platform/clock.js';
import type { Logger } from '../platform/logger.js';
import type { TurnClaims } from './turn-claims.js';
import type { TurnQueue } from './turn-queue.js';

export interface SweeperDeps {
  claims: Pick<TurnClaims, 'unclaimed'>;
  queue: TurnQueue;
  clock: Clock;
  logger: Logger;
  /** Time between two sweeps, in ms. */
  everyMs: number;
}

/**
 * Enqueues every turn that has not ended and that nobody works on: its job was lost, or its worker
 * died. A turn that waits already is not enqueued twice.
 */
export class Sweeper {
  #cancelTimer = (): void => undefined;
  #stopped = false;

  constructor(private readonly deps: SweeperDeps) {}

  /** Sweeps once, then again and again. */
  async start(): Promise<void> {
    const recovered = await this.#sweep();
    if (recovered > 0) this.deps.logger.info({ turns: recovered }, 'unfinished turns picked up');
    this.#schedule();
  }

  stop(): void {
    this.#stopped = true;
    this.#cancelTimer();
  }

  #schedule(): void {
    if (this.#stopped) return;
    this.#cancelTimer = this.deps.clock.after(this.deps.everyMs, () => {
      this.#sweep()
        .catch((error: unknown) => this.deps.logger.warn({ error }, 'the sweep failed'))
        .finally(() => this.#schedule());
    });
  }

  async #sweep(): Promise<number> {
    const turnIds = await this.deps.claims.unclaimed();
    for (const turnId of turnIds) await this.deps.queue.enqueue(turnId);
    return turnIds.length;
  }
}
