import type { Clock } from '../../../platform/clock.js';

/**
 * Calls `onStall` once when one wait took `limitMs`. Only time spent waiting counts: a reader that
 * is slow to take what came does not make the provider look dead. One timer in all: a wait only
 * notes the time, and the timer, when it fires, sleeps for what is left.
 */
export class StallWatch {
  readonly #clock: Clock;
  readonly #limitMs: number;
  readonly #onStall: (stalledMs: number) => void;
  #waitingSince: number | undefined;
  #cancelTimer: () => void;

  constructor(clock: Clock, limitMs: number, onStall: (stalledMs: number) => void) {
    this.#clock = clock;
    this.#limitMs = limitMs;
    this.#onStall = onStall;
    this.#cancelTimer = this.#sleep(limitMs);
  }

  waits(): void {
    this.#waitingSince = this.#clock.now();
  }

  hasInput(): void {
    this.#waitingSince = undefined;
  }

  /** Releases the timer. */
  stop(): void {
    this.#cancelTimer();
  }

  #sleep(delayMs: number): () => void {
    return this.#clock.after(delayMs, () => this.#check());
  }

  #check(): void {
    const waitedMs = this.#waitingSince === undefined ? 0 : this.#clock.now() - this.#waitingSince;
    if (waitedMs >= this.#limitMs) this.#onStall(waitedMs);
    else this.#cancelTimer = this.#sleep(this.#limitMs - waitedMs);
  }
}
