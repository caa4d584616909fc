import { pause } from './receive-frames.js';
import { TurnpikeError } from './client-errors.js';
import type { Transport } from './transport.js';

const BASE_MS = 250;
const CAP_MS = 10_000;

/** Retries until the server was silent for `maxSilenceMs`. */
export class RetryPolicy {
  #failures = 0;
  #lastContactAt: number;

  constructor(
    private readonly transport: Transport,
    private readonly signal: AbortSignal | undefined,
  ) {
    this.#lastContactAt = transport.clock.now();
  }

  /** The server sent something: its silence begins anew. */
  recordContact(): void {
    this.#lastContactAt = this.transport.clock.now();
  }

  /** An event arrived: the next delay is the shortest again. */
  recordProgress(): void {
    this.#failures = 0;
  }

  /**
   * Waits until the next try.
   *
   * @throws the server's refusal, or the error of `giveUp`, where there is no next try; the signal's
   *   reason, and that of a client that was closed.
   */
  async wait(cause: unknown, giveUp: () => Error): Promise<void> {
    const { transport, signal } = this;
    transport.closed?.throwIfAborted();
    this.#failures += 1;
    const retryAfterMs = cause instanceof TurnpikeError ? cause.retryAfterMs : undefined;
    const delayMs = backoffMs(this.#failures, transport.random(), retryAfterMs);
    if (transport.clock.now() + delayMs - this.#lastContactAt > transport.maxSilenceMs) {
      throw cause instanceof TurnpikeError ? cause : giveUp();
    }
    transport.onRetry({ attempt: this.#failures, delayMs, cause });
    await pause(transport.clock, delayMs, [signal, transport.closed]);
  }
}

/**
 * Milliseconds to wait before the next try: exponential with full jitter, so that the readers of a
 * server that died do not all come back in the same moment. Pure.
 *
 * @param failures in a row, from 1.
 * @param random from 0 up to 1.
 * @param retryAfterMs the least, as the server asked for.
 */
export function backoffMs(failures: number, random: number, retryAfterMs = 0): number {
  const cap = Math.min(CAP_MS, BASE_MS * 2 ** Math.min(failures - 1, 30));
  return Math.max(retryAfterMs, Math.round(random * cap));
}
