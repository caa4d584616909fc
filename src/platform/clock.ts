/**
 * The only source of time. Everything that waits or stamps takes a `Clock`, so that a test moves
 * time by hand instead of sleeping.
 */
export interface Clock {
  /** Milliseconds since the Unix epoch. */
  now(): number;
  /** Runs `callback` once after `delayMs` milliseconds; the returned function cancels it. */
  after(delayMs: number, callback: () => void): () => void;
}

/** Injects the process's clock. */
export const CLOCK = Symbol('Clock');

export const systemClock: Clock = {
  now: () => Date.now(),
  after: (delayMs, callback) => {
    const timer = setTimeout(callback, delayMs);
    // A pending timer must not keep a process alive that has nothing else to do.
    timer.unref();
    return () => clearTimeout(timer);
  },
};

let lastStamp = { at: Number.NaN, text: '' };

/** A time of a clock as ISO-8601 in UTC, with milliseconds. The text is kept for calls of the same millisecond. */
export function isoTime(at: number): string {
  if (at !== lastStamp.at) lastStamp = { at, text: new Date(at).toISOString() };
  return lastStamp.text;
}

export function pause(clock: Clock, ms: number): Promise<void> {
  return new Promise((resolve) => clock.after(ms, resolve));
}
