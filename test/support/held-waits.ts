import { systemClock, type Clock } from '../../src/platform/clock.js';
import { ManualClock } from './manual-clock.js';

/** The machine's time, but for waits of one length: these are over when the test says so, and not before. */
export class HeldWaits implements Clock {
  readonly #held = new ManualClock();

  /** @param heldMs their length. */
  constructor(private readonly heldMs: number) {}

  now(): number {
    return systemClock.now();
  }

  after(delayMs: number, callback: () => void): () => void {
    const clock = delayMs === this.heldMs ? this.#held : systemClock;
    return clock.after(delayMs, callback);
  }

  /** How many have begun. */
  get count(): number {
    return this.#held.pending;
  }

  /** Ends those that have begun. */
  end(): Promise<void> {
    return this.#held.advance(this.heldMs);
  }
}
