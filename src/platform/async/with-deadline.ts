import { linkAbort } from './abort.js';
import type { Clock } from '../clock.js';

export interface DeadlineLimit {
  /** Milliseconds the work may take. */
  ms: number;
  /** The reason of the signal when the time is over; absent: an `AbortError`. */
  reason?: Error;
  /** A signal that ends the work earlier, with its own reason. */
  outer?: AbortSignal;
}

/**
 * Runs work under a signal that aborts when its time is over. Work that does not listen to the
 * signal is waited for: wrap it in `untilAborted`.
 *
 * @returns what the work returns. @throws what it throws.
 */
export async function withDeadline<T>(
  clock: Clock,
  limit: number | DeadlineLimit,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const { ms, reason, outer } = typeof limit === 'number' ? { ms: limit } : limit;
  const deadline = new AbortController();
  const unlink = outer === undefined ? () => undefined : linkAbort(outer, deadline);
  const cancelTimer = clock.after(ms, () => deadline.abort(reason));
  try {
    return await work(deadline.signal);
  } finally {
    cancelTimer();
    unlink();
  }
}
