import { backoffMs } from './backoff.js';
import { pause } from './client-clock.js';
import { TurnpikeError } from './client-errors.js';
import type { Line } from './transport.js';

/** How long to go on trying: while the server was silent for less than `maxSilenceMs`. */
export class Patience {
  #failures = 0;
  #heardAt: number;

  constructor(
    private readonly line: Line,
    private readonly signal: AbortSignal | undefined,
  ) {
    this.#heardAt = line.clock.now();
  }

  /** The server lives. */
  heard(): void {
    this.#heardAt = this.line.clock.now();
  }

  /** It got further: the next failure is a first one. */
  progressed(): void {
    this.#failures = 0;
  }

  /**
   * Waits until the next try.
   *
   * @throws the server's refusal, or what `giveUp` makes of it, where there is no next try; the
   *   signal's reason.
   */
  async wait(cause: unknown, giveUp: () => Error): Promise<void> {
    const { line, signal } = this;
    this.#failures += 1;
    const retryAfterMs = cause instanceof TurnpikeError ? cause.retryAfterMs : undefined;
    const delayMs = backoffMs(this.#failures, line.random(), retryAfterMs);
    if (line.clock.now() + delayMs - this.#heardAt > line.maxSilenceMs) {
      throw cause instanceof TurnpikeError ? cause : giveUp();
    }
    line.onRetry({ attempt: this.#failures, delayMs, cause });
    await pause(line.clock, delayMs, signal);
  }
}
