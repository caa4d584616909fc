import { systemClock, type Clock } from '../clock.js';
import { linkAbort } from './abort.js';

/**
 * Waits for work for at most `ms`. Work that is late goes on; `withDeadline` aborts it instead, and costs
 * more: a signal, and an error where the time is over.
 *
 * @returns whether the work was done in time. @throws what it throws in time.
 */
export async function settlesWithin(
  ms: number,
  work: Promise<unknown>,
  clock: Clock = systemClock,
): Promise<boolean> {
  let cancelTimer = (): void => undefined;
  const late = new Promise<false>((resolve) => {
    cancelTimer = clock.after(ms, () => resolve(false));
  });
  try {
    // Late work may reject: the race has taken the rejection.
    return await Promise.race([work.then(() => true), late]);
  } finally {
    cancelTimer();
  }
}

export interface DeadlineLimit {
  /** Milliseconds the work may take. */
  ms: number;
  /** Milliseconds the work may take where it asks for more time; absent: `ms`. */
  mostMs?: number;
  /** The reason of the signal when the time is over; absent: an `AbortError`. */
  reason?: Error;
  /** A signal that ends the work earlier, with its own reason. */
  outer?: AbortSignal;
}

/**
 * Runs work under a signal that aborts when its time is over. Work that does not listen to the
 * signal is waited for: wrap it in `untilAborted`.
 *
 * @param work `extend` gives it `ms` from now on, up to `mostMs` in all.
 * @returns what the work returns. @throws what it throws.
 */
export async function withDeadline<T>(
  clock: Clock,
  limit: number | DeadlineLimit,
  work: (signal: AbortSignal, extend: () => void) => Promise<T>,
): Promise<T> {
  const given: DeadlineLimit = typeof limit === 'number' ? { ms: limit } : limit;
  const { ms, mostMs, reason, outer } = given;
  const deadline = new AbortController();
  const unlink = outer === undefined ? () => undefined : linkAbort(outer, deadline);
  const end = (): void => deadline.abort(reason);
  const endsAt = clock.now() + (mostMs ?? ms);
  let cancelTimer = clock.after(ms, end);
  const extend = (): void => {
    if (mostMs === undefined || deadline.signal.aborted) return;
    cancelTimer();
    cancelTimer = clock.after(Math.min(ms, Math.max(0, endsAt - clock.now())), end);
  };
  try {
    return await work(deadline.signal, extend);
  } finally {
    cancelTimer();
    unlink();
  }
}
