import {
  type DayShortage,
  describeDayShortage,
  startsAgain,
} from '../../governance/limits/day-limit-reached.js';
import { TypedError } from '../../errors/typed-error.js';

/** @param now milliseconds since the epoch. */
export function budgetExhausted(shortage: DayShortage, now: number): TypedError {
  const { budget, limits, used, resetsAt } = shortage;
  const waitSeconds = Math.max(1, Math.ceil((resetsAt - now) / 1_000));
  const text = describeDayShortage(shortage);
  return new TypedError('BUDGET_EXHAUSTED', {
    message: `${text.charAt(0).toUpperCase()}${text.slice(1)}. ${startsAgain(shortage)} Nothing was stored; send this again then, or ask for a higher limit of the key.`,
    details: {
      budget,
      ...(budget === 'daily_token_budget'
        ? { used: used.tokens, limit: limits.tokensPerDay }
        : { used: used.microUsd / 1_000_000, limit: limits.usdPerDay }),
      resetsAt: new Date(resetsAt).toISOString(),
    },
    headers: { 'Retry-After': String(waitSeconds) },
  });
}
