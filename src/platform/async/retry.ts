import { untilAborted } from './abort.js';
import { pause, type Clock } from '../clock.js';

/** Delays before retries: each twice as long as the last, up to a maximum. */
export interface RetryDelays {
  /** Milliseconds before the first retry. */
  firstMs: number;
  /** Milliseconds that no delay exceeds; equal to `firstMs` for a constant delay. */
  maxMs: number;
}

/**
 * The delay before a retry, in ms.
 *
 * @param retries made before this one, from 0.
 * @param random from 0 to 1, by default 1: the delay lasts from half of its length to all of it, so
 *   that callers that failed together do not return together.
 */
export function retryDelay({ firstMs, maxMs }: RetryDelays, retries: number, random = 1): number {
  return Math.round((Math.min(maxMs, firstMs * 2 ** retries) * (1 + random)) / 2);
}

export interface RetryRules extends RetryDelays {
  /** Whether work is tried again after this error. Asked once for each failure. */
  mayRetry(error: unknown): boolean;
  /** A signal that ends the delay between two tries. */
  signal?: AbortSignal;
}

/**
 * Runs work until it succeeds, or fails with an error that is final.
 *
 * @param work takes the number of tries that failed before it.
 * @returns what the work returns. @throws the final error; the reason of the policy's signal.
 */
export async function retry<T>(
  clock: Clock,
  policy: RetryRules,
  work: (failures: number) => Promise<T>,
): Promise<T> {
  for (let failures = 0; ; failures += 1) {
    try {
      return await work(failures);
    } catch (error) {
      if (!policy.mayRetry(error)) throw error;
      const delay = pause(clock, retryDelay(policy, failures));
      await (policy.signal === undefined ? delay : untilAborted(delay, policy.signal));
    }
  }
}
