import { setMaxListeners } from 'node:events';

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

/** A turn's signal ends all that runs beside each other in it: Node 20 warns of a leak from eleven listeners on. */
function takeMany(signal: AbortSignal): void {
  setMaxListeners(Infinity, signal);
}
