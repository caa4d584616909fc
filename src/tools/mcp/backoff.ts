import { retryDelay, type RetryDelays } from '../../platform/async/deadlines.js';
import type { Clock } from '../../platform/clock.js';

const retryDelays: RetryDelays = { firstMs: 1_000, maxMs: 60_000 };
/** Uptime after which a death is no longer a failure to start, in ms. */
const steadyMs = 60_000;

/** Exponential backoff for the restart of a server: at once after the first death, then ever later. */
export class Backoff {
  #failures = 0;
  #notBefore = 0;
  #startedAt = 0;

  constructor(private readonly clock: Clock) {}

  /** Milliseconds until the server may be started; 0: now. */
  waitMs(): number {
    return Math.max(0, this.#notBefore - this.clock.now());
  }

  /** When the server was started last, in ms since the epoch. */
  get startedAt(): number {
    return this.#startedAt;
  }

  started(): void {
    this.#startedAt = this.clock.now();
  }

  /** The server answered a call. */
  worked(): void {
    this.#failures = 0;
  }

  /** The server could not be started. */
  failed(): void {
    this.#failures += 1;
    this.#wait(this.#failures);
  }

  /** The server ended while it was up. */
  died(): void {
    if (this.clock.now() - this.#startedAt >= steadyMs) this.#failures = 0;
    this.#failures += 1;
    if (this.#failures > 1) this.#wait(this.#failures - 1);
  }

  #wait(failures: number): void {
    this.#notBefore = this.clock.now() + retryDelay(retryDelays, failures - 1);
  }
}
