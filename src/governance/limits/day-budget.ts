import { costOf, ratesOf } from './cost.js';
import type { Price, DayLimits } from '../../storage/shapes/stored-limits.js';
import type { Usage } from '../../storage/shapes/stored-step.js';

/** A day's limits as reasons for an end. */
export type DayBudget = 'daily_token_budget' | 'daily_cost_budget';

/** What was used, or is reserved. */
export interface DayAmount {
  tokens: number;
  /** Millionths of a dollar. */
  microUsd: number;
}

/** A model call before it is made, each at most, in tokens. */
export interface CallSize {
  /** Input that does not come from the provider's cache. */
  input: number;
  /** Input that does. */
  cached: number;
  reply: number;
}

/** Tokens of a reply that are enough, however much more might be had later. */
const ENOUGH_REPLY = 4_000;

const MILLION = 1_000_000;
const DAY_MS = 86_400_000;

/** Undefined where neither is limited: then nothing is counted. */
export function dayLimitsOf(limits: DayLimits | undefined): DayLimits | undefined {
  if (limits === undefined) return undefined;
  const { tokensPerDay, usdPerDay } = limits;
  return tokensPerDay > 0 || usdPerDay > 0 ? { tokensPerDay, usdPerDay } : undefined;
}

/** The most there may be, with `Infinity` for what is not limited. */
export function dayCeiling({ tokensPerDay, usdPerDay }: DayLimits): DayAmount {
  return {
    tokens: tokensPerDay > 0 ? tokensPerDay : Infinity,
    microUsd: usdPerDay > 0 ? Math.round(usdPerDay * MILLION) : Infinity,
  };
}

/** The day in UTC, as `2026-01-31`. @param now milliseconds since the epoch. */
export function dayOf(now: number): string {
  return new Date(now).toISOString().slice(0, 10);
}

/** When the next day begins, in milliseconds since the epoch. */
export function dayEnd(now: number): number {
  return (Math.floor(now / DAY_MS) + 1) * DAY_MS;
}

/** Millionths of a dollar, rounded up; 0 for a model whose price is not known. */
export function microUsdOf(usage: Usage, price: Price | undefined): number {
  if (price === undefined) return 0;
  // A thousandth of a millionth is the arithmetic's, not the price's.
  return Math.ceil(Number((costOf(usage, price) * MILLION).toFixed(3)));
}

/** What a call takes at most. */
export function amountOf({ input, cached, reply }: CallSize, price: Price | undefined): DayAmount {
  const usage = {
    inputTokens: 0,
    cacheWriteTokens: input,
    cacheReadTokens: cached,
    outputTokens: reply,
  };
  return { tokens: input + reply, microUsd: microUsdOf(usage, price) };
}

/** Tokens of a reply that what is left of a day has room for, and the limit that allows no more. */
export function fitReply(
  left: DayAmount,
  call: CallSize,
  price: Price | undefined,
): { reply: number; budget: DayBudget } {
  const byTokens = left.tokens - call.input;
  const forReply = left.microUsd - amountOf({ ...call, reply: 0 }, price).microUsd;
  const outputPrice = price === undefined ? 0 : ratesOf(price, call.input + call.cached).output;
  const paid = outputPrice > 0 ? Math.floor(forReply / outputPrice) : Infinity;
  const byCost = forReply < 0 ? 0 : paid;
  return byCost < byTokens
    ? { reply: Math.min(call.reply, byCost), budget: 'daily_cost_budget' }
    : { reply: Math.min(call.reply, byTokens), budget: 'daily_token_budget' };
}

/** What a day has for a call. */
export interface DayReply {
  /** Tokens of its reply. */
  reply: number;
  /** The limit that allows no more. */
  budget: DayBudget;
  /** The calls under way have reserved so much that a better reply is worth waiting for. */
  isHeldBack: boolean;
}

/**
 * What a day has for a call now, and whether to wait for more: calls reserve their longest reply and
 * use a part of it. It is worth it where all that is reserved would double a short reply. Pure.
 *
 * @param day `used` counts what is `reserved` too.
 * @param leastReply tokens of a reply below which the call is not worth making.
 */
export function fitDay(
  day: { ceiling: DayAmount; used: DayAmount; reserved: DayAmount },
  { size, price, leastReply }: { size: CallSize; price: Price | undefined; leastReply: number },
): DayReply {
  const { ceiling, used, reserved } = day;
  const left = {
    tokens: ceiling.tokens - used.tokens,
    microUsd: ceiling.microUsd - used.microUsd,
  };
  const later = {
    tokens: left.tokens + reserved.tokens,
    microUsd: left.microUsd + reserved.microUsd,
  };
  const now = fitReply(left, size, price);
  const most = fitReply(later, size, price).reply;
  const isShort = now.reply < ENOUGH_REPLY && now.reply * 2 <= most;
  return { ...now, isHeldBack: most >= leastReply && (now.reply < leastReply || isShort) };
}
