import type { TypedError } from '../errors/typed-error.js';
import { retryDelay, untilAborted, type RetryDelays } from '../platform/async/deadlines.js';
import { pause, type Clock } from '../platform/clock.js';
import type { ModelEvent, OnModelEvents } from './model-types.js';
import { providerDetails } from './provider-errors.js';

/** The delays where the provider names none. */
const delays: RetryDelays = { firstMs: 500, maxMs: 8_000 };

/** Longest pause that a provider may ask for, in ms; a longer one ends the call. */
const MAX_PAUSE_MS = 30_000;

/** A request that is sent again: it failed before its answer. */
export type Retrying = Extract<ModelEvent, { type: 'retrying' }>;

export interface SendAgainOptions {
  clock: Clock;
  /** Ends the tries and the pauses between them. */
  signal: AbortSignal;
  /** Tries after the first. */
  maxRetries: number;
  /** Makes one of our errors of what was thrown. */
  toError(thrown: unknown): TypedError;
  /** Whether the provider wants the request again, where it says so. Undefined: it says nothing. */
  wanted?(thrown: unknown): boolean | undefined;
  /** Is told of each pause before it begins. */
  tell(event: Retrying): void;
}

/**
 * Sends a request, again where it failed before its answer for a reason that may pass.
 *
 * @param send takes the number of tries that failed before it.
 * @throws TypedError of the last try; the signal's reason.
 */
export async function sendAgain<T>(
  send: (failures: number) => Promise<T>,
  options: SendAgainOptions,
): Promise<T> {
  const { clock, signal, maxRetries, toError, wanted, tell } = options;
  for (let failures = 0; ; failures += 1) {
    try {
      return await send(failures);
    } catch (thrown) {
      signal.throwIfAborted();
      const error = toError(thrown);
      const maySend = wanted?.(thrown) ?? error.retryable;
      const { retryAfterMs = 0 } = error;
      if (!maySend || failures >= maxRetries || retryAfterMs > MAX_PAUSE_MS) throw error;
      const afterMs = error.retryAfterMs ?? retryDelay(delays, failures, Math.random());
      tell({ type: 'retrying', retry: failures + 1, maxRetries, afterMs, reason: reasonOf(error) });
      await untilAborted(pause(clock, afterMs), signal);
    }
  }
}

function reasonOf(error: TypedError): Retrying['reason'] {
  const { reason, category } = providerDetails(error);
  if (reason === 'OVERLOADED') return 'overloaded';
  return category === 'RATE_LIMITED' ? 'rate-limited' : 'unavailable';
}

/** Retries of a call on their way to its reader, who may come after the first of them. */
export class RetryNews {
  readonly #waiting: Retrying[] = [];
  #reader: OnModelEvents | undefined;

  tell(event: Retrying): void {
    if (this.#reader === undefined) this.#waiting.push(event);
    else this.#reader([event]);
  }

  readBy(reader: OnModelEvents): void {
    this.#reader = reader;
    if (this.#waiting.length > 0) reader(this.#waiting.splice(0));
  }
}
