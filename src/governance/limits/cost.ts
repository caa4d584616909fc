import type { Usage } from '../../storage/shapes/stored-step.js';
import type { Price } from '../../storage/shapes/stored-options.js';

/** Prices of the provider's cache relative to plain input: writes by lifetime, and reads. */
const CACHE_WRITE_5M = 1.25;
const CACHE_WRITE_1H = 2;
const CACHE_READ = 0.1;

/**
 * Dollars for a thousand web searches, for every model:
 * platform.claude.com/docs/en/about-claude/pricing. Fetched pages cost their tokens alone, and code
 * execution nothing more.
 */
export const WEB_SEARCHES = 10;

const MILLION = 1_000_000;

/**
 * US dollars of one call; of several calls together only where the price has no long-prompt band.
 */
export function costOf(usage: Usage, price: Price): number {
  const { inputTokens, cacheWriteTokens, cacheReadTokens, outputTokens } = usage;
  const paid = ratesOf(price, inputTokens + cacheWriteTokens + cacheReadTokens);
  // Cache writes without a stated lifetime live for five minutes, the provider's default.
  const hour = Math.min(cacheWriteTokens, usage.cacheWrite1hTokens ?? 0);
  const inputCost =
    inputTokens * paid.input +
    (cacheWriteTokens - hour) * paid.cacheWrite5m +
    hour * paid.cacheWrite1h +
    cacheReadTokens * paid.cacheRead;
  const fees = ((usage.webSearches ?? 0) * (price.webSearches ?? WEB_SEARCHES)) / 1_000;
  return (inputCost + outputTokens * paid.output) / MILLION + fees;
}

/**
 * Tokens that are paid for: what budgets of a session and a day count. What came from the provider's
 * cache was counted when it was written.
 */
export function tokensOf({ inputTokens, cacheWriteTokens, outputTokens }: Usage): number {
  return inputTokens + cacheWriteTokens + outputTokens;
}

/** Upper bound of a call's input, in tokens. */
export interface PromptSize {
  /** Input outside of the provider's cache, priced as written to it. */
  input: number;
  /** Input from the provider's cache. */
  cached: number;
  /** Whether the cache is to keep what is written for an hour, which costs more. Absent: for five minutes. */
  isForHour?: boolean;
}

/**
 * Tokens of a reply that `leftUsd` pays for after the input; below 0 where the input costs more.
 */
export function affordableReply(
  leftUsd: number,
  { input, cached, isForHour = false }: PromptSize,
  price: Price,
): number {
  const paid = ratesOf(price, input + cached);
  const written = isForHour ? paid.cacheWrite1h : paid.cacheWrite5m;
  const left = leftUsd * MILLION - input * written - cached * paid.cacheRead;
  return paid.output === 0 ? Infinity : Math.floor(left / paid.output);
}

/** Rates for a call with a prompt of that size, in millionths of a dollar for a token. */
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
