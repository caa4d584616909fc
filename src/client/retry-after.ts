/**
 * The header `Retry-After`: seconds, or a date. Pure.
 *
 * @param now milliseconds since the epoch.
 * @returns milliseconds, at least 0; undefined where there is none that can be read.
 */
export function readRetryAfter(header: string | null, now: number): number | undefined {
  const text = header?.trim() ?? '';
  if (text === '') return undefined;
  if (/^\d{1,9}$/.test(text)) return Number(text) * 1_000;
  const at = Date.parse(text);
  return Number.isNaN(at) ? undefined : Math.max(0, at - now);
}
