import type { DayAmount, DayBudget } from './day-budget.js';
import type { DayLimits } from '../../storage/shapes/stored-options.js';

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
