import type { Price, DayLimits } from '../../storage/shapes/stored-options.js';
import type { Usage } from '../../storage/shapes/stored-step.js';
import { costOf, ratesOf, type PromptSize } from './cost.js';

/** Daily limits as reasons of a turn's end. */
export type DayBudget = 'daily_token_budget' | 'daily_cost_budget';

/** Tokens and dollars, used or reserved. */
export interface DayAmount {
  tokens: number;
  /** Millionths of a dollar. */
  microUsd: number;
}

/** Upper bound of a model call, in tokens. */
export interface CallSize extends PromptSize {
  reply: number;
}

/** Reply length, in tokens, that is worth no wait for a longer one. */
const ENOUGH_REPLY = 4_000;

const MILLION = 1_000_000;
const DAY_MS = 86_400_000;

/** The day's limits as amounts, `Infinity` where there is no limit. */
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

/** The next day's beginning, in milliseconds since the epoch. */
export function dayEnd(now: number): number {
  return (Math.floor(now / DAY_MS) + 1) * DAY_MS;
}

/** Millionths of a dollar, rounded up; 0 for a model whose price is not known. */
export function microUsdOf(usage: Usage, price: Price | undefined): number {
  if (price === undefined) return 0;
  // Digits beyond a thousandth of a millionth are rounding errors of the arithmetic.
  return Math.ceil(Number((costOf(usage, price) * MILLION).toFixed(3)));
}

/** The upper bound that a call reserves. */
export function amountOf(
  { input, cached, reply, isForHour }: CallSize,
  price: Price | undefined,
): DayAmount {
  const usage = {
    inputTokens: 0,
    cacheWriteTokens: input,
    ...(isForHour === true ? { cacheWrite1hTokens: input } : {}),
    cacheReadTokens: cached,
    outputTokens: reply,
  };
  return { tokens: input + reply, microUsd: microUsdOf(usage, price) };
}

/** The longest reply, in tokens, that the day's headroom allows, and the limit that bounds it. */
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

/** A day's allowance for a call. */
export interface DayReply {
  /** Tokens of the reply. */
  reply: number;
  /** The limit that bounds the reply. */
  budget: DayBudget;
  /** Calls in flight have reserved so much that waiting for their release is worth it. */
  isWorthWaiting: boolean;
}

/**
 * A day's allowance for a call now, and whether to wait for more: calls reserve their longest reply
 * and use a part of it. Waiting is worth it where the release of all reservations would double a
 * short reply. Pure.
 *
 * @param day `used` includes `reserved`.
 * @param minReply tokens of a reply below which the call is not worth making.
 */
export function fitDay(
  day: { ceiling: DayAmount; used: DayAmount; reserved: DayAmount },
  { size, price, minReply }: { size: CallSize; price: Price | undefined; minReply: number },
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
  return { ...now, isWorthWaiting: most >= minReply && (now.reply < minReply || isShort) };
}

/** A daily limit without headroom for another reply. */
export interface DayShortage {
  budget: DayBudget;
  limits: DayLimits;
  /** Used and reserved by all turns of the principal. */
  used: DayAmount;
  /** The next day's beginning, in milliseconds since the epoch. */
  resetsAt: number;
}

/** Fields by their wire names. */
export interface DayLimitMetadata {
  current_value: number;
  limit_value: number;
  percent: number;
  limit_type: 'daily_token' | 'daily_cost';
  /** ISO-8601. */
  resets_at: string;
}

export interface DayLimitReached {
  kind: 'limit-reached';
  text: string;
  metadata: DayLimitMetadata;
}

/** The notice to the client when a daily limit ends a loop. */
export function dayLimitReached(shortage: DayShortage): DayLimitReached {
  const metadata = measure(shortage);
  const { current_value: used, limit_value: limit } = metadata;
  const what =
    shortage.budget === 'daily_token_budget'
      ? `Daily token budget reached (${count(used)}/${count(limit)} tokens`
      : `Daily cost limit reached ($${used}/$${limit}`;
  const text = `${what}, with what other turns have reserved). ${startsAgain(shortage)} Saving partial response.`;
  return { kind: 'limit-reached', text, metadata };
}

/**
 * The sentences that close the final answer, in brackets.
 *
 * @param hasText whether the answer has other text.
 */
export function dayEndNote(shortage: DayShortage, hasText: boolean): string {
  const found = hasText ? 'What was found so far is above.' : 'There is no answer yet.';
  return `[Stopped: ${describeDayShortage(shortage)}. ${startsAgain(shortage)} ${found}]`;
}

/** `what is left of today's budget of 50,000 tokens is not enough for another reply` */
export function describeDayShortage(shortage: Pick<DayShortage, 'budget' | 'limits'>): string {
  return `what is left of today's ${describeLimit(shortage)} is not enough for another reply`;
}

function describeLimit({ budget, limits }: Pick<DayShortage, 'budget' | 'limits'>): string {
  return budget === 'daily_token_budget'
    ? `budget of ${count(limits.tokensPerDay)} tokens`
    : `limit of $${limits.usdPerDay}`;
}

/** `What is left of today's budget of 50,000 tokens is reserved by other turns.` */
export function describeReserved(shortage: Pick<DayShortage, 'budget' | 'limits'>): string {
  return `What is left of today's ${describeLimit(shortage)} is reserved by other turns.`;
}

/** `It starts again at midnight UTC (2026-11-22T00:00:00Z).` */
export function startsAgain({ resetsAt }: Pick<DayShortage, 'resetsAt'>): string {
  return `It starts again at midnight UTC (${isoSeconds(resetsAt)}).`;
}

function measure({ budget, limits, used, resetsAt }: DayShortage): DayLimitMetadata {
  const isTokens = budget === 'daily_token_budget';
  // Rounded to a hundredth of a cent.
  const usd = Math.round(used.microUsd / 100) / 10_000;
  const [current, limit] = isTokens ? [used.tokens, limits.tokensPerDay] : [usd, limits.usdPerDay];
  return {
    current_value: current,
    limit_value: limit,
    // A day without headroom for a reply counts as used up, however little was used.
    percent: Math.max(100, Math.floor((current * 100) / limit)),
    limit_type: isTokens ? 'daily_token' : 'daily_cost',
    resets_at: isoSeconds(resetsAt),
  };
}

function isoSeconds(at: number): string {
  return new Date(at).toISOString().replace('.000Z', 'Z');
}

function count(tokens: number): string {
  return tokens.toLocaleString('en-US');
}
