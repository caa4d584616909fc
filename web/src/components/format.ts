import type { Usage } from '#src/storage/shapes/stored-step.js';

/** Pure words for numbers. */

export function formatDuration(ms: number): string {
  if (ms < 1_000) return `${Math.max(0, Math.round(ms))} ms`;
  const seconds = ms / 1_000;
  if (seconds < 9.95) return `${seconds.toFixed(1)} s`;
  if (seconds < 59.5) return `${Math.round(seconds)} s`;
  const whole = Math.round(seconds);
  const minutes = Math.floor(whole / 60);
  if (minutes < 60) return `${minutes} min ${String(whole % 60).padStart(2, '0')} s`;
  return `${Math.floor(minutes / 60)} h ${String(minutes % 60).padStart(2, '0')} min`;
}

/** Minutes and seconds: 9:41. */
export function formatCountdown(ms: number): string {
  const seconds = Math.max(0, Math.ceil(ms / 1_000));
  const minutes = Math.floor(seconds / 60);
  const rest = String(seconds % 60).padStart(2, '0');
  if (minutes < 60) return `${minutes}:${rest}`;
  return `${Math.floor(minutes / 60)}:${String(minutes % 60).padStart(2, '0')}:${rest}`;
}

export function formatCount(value: number): string {
  return value.toLocaleString('en-US');
}

/** `1 tool call`, `2 tool calls`. */
export function countOf(count: number, what: string): string {
  return `${formatCount(count)} ${what}${count === 1 ? '' : 's'}`;
}

/** US dollars to the cent; less than a cent to a hundredth of a cent. */
export function formatUsd(usd: number): string {
  return usd === 0 || usd >= 0.995 ? `$${usd.toFixed(2)}` : `$${usd.toFixed(4)}`;
}

/** A count in short: 12.3k for 12,345. */
export function formatShort(value: number): string {
  if (value < 1_000) return String(Math.round(value));
  if (value < 99_950) return `${(value / 1_000).toFixed(1).replace(/\.0$/, '')}k`;
  if (value < 999_500) return `${Math.round(value / 1_000)}k`;
  return `${(value / 1_000_000).toFixed(1).replace(/\.0$/, '')}M`;
}

export function formatBytes(bytes: number): string {
  if (bytes < 1_024) return `${bytes} B`;
  if (bytes < 1_024 ** 2) return `${(bytes / 1_024).toFixed(bytes < 10_240 ? 1 : 0)} KiB`;
  return `${(bytes / 1_024 ** 2).toFixed(1)} MiB`;
}

/** How long ago: `5 min ago`. @param at ISO-8601. @param now milliseconds since 1970. */
export function formatAgo(at: string, now: number): string {
  const seconds = secondsSince(at, now);
  if (seconds < 60) return 'just now';
  if (seconds < 7 * 86_400) return `${inUnits(seconds)} ago`;
  return new Date(at).toLocaleDateString('en-CA');
}

/** For how long: `5 min`. @param since ISO-8601. @param now milliseconds since 1970. */
export function formatFor(since: string, now: number): string {
  return inUnits(secondsSince(since, now));
}

function secondsSince(at: string, now: number): number {
  return Math.max(0, (now - Date.parse(at)) / 1_000);
}

function inUnits(seconds: number): string {
  if (seconds < 60) return 'less than a minute';
  if (seconds < 3_600) return `${Math.floor(seconds / 60)} min`;
  if (seconds < 86_400) return `${Math.floor(seconds / 3_600)} h`;
  return `${Math.floor(seconds / 86_400)} d`;
}

/** Input, output and cached tokens together. Pure. */
export function allTokens(usage: Usage): number {
  const { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens } = usage;
  return inputTokens + outputTokens + cacheReadTokens + cacheWriteTokens;
}
