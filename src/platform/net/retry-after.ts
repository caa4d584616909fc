/**
 * The delay before a retry that an answer asks for, in ms from now: its `retry-after-ms`, or
 * `Retry-After` in seconds or as a date. Undefined where neither is given or valid.
 */
export function retryAfterMs(headers: Pick<Headers, 'get'>, nowMs: number): number | undefined {
  const ms = Number.parseFloat(headers.get('retry-after-ms') ?? '');
  if (!Number.isNaN(ms)) return Math.max(0, ms);
  const after = headers.get('retry-after') ?? '';
  const seconds = Number.parseFloat(after);
  const pauseMs = Number.isNaN(seconds) ? Date.parse(after) - nowMs : seconds * 1_000;
  return Number.isNaN(pauseMs) ? undefined : Math.max(0, pauseMs);
}
