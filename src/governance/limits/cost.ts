import type { Usage } from '../../storage/shapes/stored-step.js';
import type { Price } from '../../storage/shapes/stored-limits.js';

/** What the provider's cache costs against plain input: to be written, by how long, and to be read. */
const CACHE_WRITE_5M = 1.25;
const CACHE_WRITE_1H = 2;
const CACHE_READ = 0.1;

/**
 * Dollars for a thousand searches of the web, for every model: platform.claude.com/docs/en/about-claude/pricing.
 * What is fetched costs its tokens only, and code execution nothing beside them.
 */
export const WEB_SEARCHES = 10;

const MILLION = 1_000_000;

/** US dollars of one call. Of several together only where the price has no band of long prompts. */
export function costOf(usage: Usage, price: Price): number {
  const { inputTokens, cacheWriteTokens, cacheReadTokens, outputTokens } = usage;
  const paid = ratesOf(price, inputTokens + cacheWriteTokens + cacheReadTokens);
  // What nobody says is kept for five minutes, as the provider does by itself.
  const hour = Math.min(cacheWriteTokens, usage.cacheWrite1hTokens ?? 0);
  const read =
    inputTokens * paid.input +
    (cacheWriteTokens - hour) * paid.cacheWrite5m +
    hour * paid.cacheWrite1h +
    cacheReadTokens * paid.cacheRead;
  const fees = ((usage.webSearches ?? 0) * (price.webSearches ?? WEB_SEARCHES)) / 1_000;
  return (read + outputTokens * paid.output) / MILLION + fees;
}

/** Input of a call, in tokens, each at most. */
export interface PromptSize {
  /** What does not come from the provider's cache: it is taken to be written there. */
  input: number;
  /** What does. */
  cached: number;
}

/** Tokens of a reply that what is left pays for, after the input; below 0 where that costs more. */
export function affordableReply(
  leftUsd: number,
  { input, cached }: PromptSize,
  price: Price,
): number {
  const paid = ratesOf(price, input + cached);
  const left = leftUsd * MILLION - input * paid.cacheWrite5m - cached * paid.cacheRead;
  return paid.output === 0 ? Infinity : Math.floor(left / paid.output);
}

/** What a token of a call costs whose prompt has so many, in millionths of a dollar. */
export function ratesOf(
  price: Price,
  promptTokens: number,
): Required<Omit<Price, 'longPrompt' | 'webSearches'>> {
  const { longPrompt } = price;
  const band = longPrompt !== undefined && promptTokens > longPrompt.above ? longPrompt : price;
  const { input, output } = band;
  return {
    input,
    output,
    cacheWrite5m: band.cacheWrite5m ?? input * CACHE_WRITE_5M,
    cacheWrite1h: band.cacheWrite1h ?? input * CACHE_WRITE_1H,
    cacheRead: band.cacheRead ?? input * CACHE_READ,
  };
}
