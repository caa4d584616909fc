const BASE_MS = 250;
const CAP_MS = 10_000;

/**
 * How long to wait before the next try: exponential with full jitter, so that the readers of a
 * server that died do not all come back in the same moment; not before the server said. Pure.
 *
 * @param failures in a row, from 1.
 * @param random from 0 up to 1.
 */
export function backoffMs(failures: number, random: number, retryAfterMs = 0): number {
  const most = Math.min(CAP_MS, BASE_MS * 2 ** Math.min(failures - 1, 30));
  return Math.max(retryAfterMs, Math.round(random * most));
}
