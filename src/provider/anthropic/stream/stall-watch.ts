import type { Clock } from '../../../platform/clock.js';

/**
 * Calls `onStall` once when nothing came for `limitMs`. One timer in all: what comes only notes the time, and the
 * timer, when it fires, sleeps for what is left.
 */
export class StallWatch {
  #lastAt: number;
  #cancelTimer: () => void;

  constructor(
    private readonly clock: Pick<Clock, 'now' | 'after'>,
    private readonly limitMs: number,
    private readonly onStall: (stalledMs: number) => void,
  ) {
    this.#lastAt = clock.now();
    this.#cancelTimer = this.#sleep(limitMs);
  }

  hasInput(): void {
    this.#lastAt = this.clock.now();
  }

  /** Releases the timer. */
  stop(): void {
    this.#cancelTimer();
  }

  #sleep(delayMs: number): () => void {
    return this.clock.after(delayMs, () => this.#check());
  }

  #check(): void {
    const silentMs = this.clock.now() - this.#lastAt;
    if (silentMs >= this.limitMs) this.onStall(silentMs);
    else this.#cancelTimer = this.#sleep(this.limitMs - silentMs);
  }
}
