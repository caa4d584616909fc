/** The client's source of time; tests move theirs by hand. */
export interface ClientClock {
  /** Milliseconds since the Unix epoch. */
  now(): number;
  /** Runs `callback` once after `delayMs` milliseconds; the returned function cancels it. */
  after(delayMs: number, callback: () => void): () => void;
}

export const systemClientClock: ClientClock = {
  now: () => Date.now(),
  after: (delayMs, callback) => {
    const timer = setTimeout(callback, delayMs);
    return () => clearTimeout(timer);
  },
};

/** Resolves after `ms` milliseconds. @throws the signal's reason once it is aborted. */
export function pause(clock: ClientClock, ms: number, signal?: AbortSignal): Promise<void> {
  signal?.throwIfAborted();
  return new Promise((resolve, reject) => {
    const leave = (): void => {
      cancel();
      reject(signal?.reason);
    };
    const cancel = clock.after(ms, () => {
      signal?.removeEventListener('abort', leave);
      resolve();
    });
    signal?.addEventListener('abort', leave, { once: true });
  });
}
