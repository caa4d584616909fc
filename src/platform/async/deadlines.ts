import { setMaxListeners } from 'node:events';
import { systemClock, type Clock, pause } from '../clock.js';

/**
 * Waits for work for at most `ms`. Work that is late goes on; `withDeadline` aborts it instead, and costs
 * more: a signal, and an error where the time is over.
 *
 * @returns whether the work was done in time. @throws what it throws in time.
 */
export async function withTimeout(
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
  maxMs?: number;
  /** The reason of the signal when the time is over; absent: an `AbortError`. */
  reason?: Error;
  /** A signal that ends the work earlier, with its own reason. */
  outer?: AbortSignal;
}

/**
 * Runs work under a signal that aborts when its time is over. Work that does not listen to the
 * signal is waited for: wrap it in `untilAborted`.
 *
 * @param work `extend` gives it `ms` from now on, up to `maxMs` in all; `hold` stops its time until what it returns is
 *   called.
 * @returns what the work returns. @throws what it throws.
 */
export async function withDeadline<T>(
  clock: Clock,
  limit: number | DeadlineLimit,
  work: (signal: AbortSignal, extend: () => void, hold: () => () => void) => Promise<T>,
): Promise<T> {
  const given: DeadlineLimit = typeof limit === 'number' ? { ms: limit } : limit;
  const { ms, maxMs, reason, outer } = given;
  const deadline = new AbortController();
  const unlink = outer === undefined ? () => undefined : linkAbort(outer, deadline);
  const end = (): void => deadline.abort(reason);
  let endsAt = clock.now() + (maxMs ?? ms);
  let cancelTimer = clock.after(ms, end);
  let holds = 0;
  const restart = (): void => {
    cancelTimer();
    cancelTimer = clock.after(Math.min(ms, Math.max(0, endsAt - clock.now())), end);
  };
  const extend = (): void => {
    if (maxMs !== undefined && holds === 0 && !deadline.signal.aborted) restart();
  };
  const hold = (): (() => void) => {
    const since = clock.now();
    holds += 1;
    cancelTimer();
    return () => {
      holds -= 1;
      if (holds > 0 || isOver || deadline.signal.aborted) return;
      endsAt += clock.now() - since;
      restart();
    };
  };
  let isOver = false;
  try {
    return await work(deadline.signal, extend, hold);
  } finally {
    isOver = true;
    cancelTimer();
    unlink();
  }
}

/**
 * Aborts `inner` with the reason of `outer` as soon as `outer` aborts.
 *
 * @returns a function that detaches the link. A signal that outlives the work (a turn's, a
 * process's) would otherwise keep every controller that was ever linked to it alive.
 */
export function linkAbort(outer: AbortSignal, inner: AbortController): () => void {
  if (outer.aborted) {
    inner.abort(outer.reason);
    return () => undefined;
  }
  const forward = (): void => inner.abort(outer.reason);
  takeMany(outer);
  outer.addEventListener('abort', forward, { once: true });
  return () => outer.removeEventListener('abort', forward);
}

/**
 * Settles as `work` does, or rejects with the signal's reason if that comes first. The work itself
 * is not stopped: pass it the signal too.
 */
export async function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  let onAbort = (): void => undefined;
  const aborted = new Promise<never>((_resolve, reject) => {
    onAbort = () => reject(signal.reason as Error);
    takeMany(signal);
    if (signal.aborted) onAbort();
    else signal.addEventListener('abort', onAbort, { once: true });
  });
  try {
    // The work is raced in any case: what it throws later must not be an unhandled rejection.
    return await Promise.race([aborted, work]);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}

/** A turn's signal ends all that runs beside each other in it: Node warns of a leak from eleven listeners on. */
function takeMany(signal: AbortSignal): void {
  setMaxListeners(Infinity, signal);
}

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
