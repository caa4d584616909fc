import { dayCeiling, dayEnd, dayOf } from '../../governance/limits/day-budget.js';
import type { DayLimits } from '../../storage/shapes/stored-limits.js';
import type { Clock } from '../../platform/clock.js';
import type { Queryable } from '../../storage/connection.js';
import { budgetExhausted } from './budget-errors.js';
import { loadDay } from './usage-days.js';

/**
 * Refuses a turn of a principal that has used up its day: it would end before its first call.
 * Reservations of running calls do not count as used.
 *
 * @throws TypedError BUDGET_EXHAUSTED 429, to be sent again when the next day begins.
 */
export async function checkBudget(
  { db, clock }: { db: Queryable; clock: Clock },
  principalId: string,
  limits: DayLimits | undefined,
): Promise<void> {
  if (limits === undefined) return;
  const now = clock.now();
  const day = await loadDay(db, { principalId, day: dayOf(now) });
  const used = {
    tokens: day.used.tokens - day.reserved.tokens,
    microUsd: day.used.microUsd - day.reserved.microUsd,
  };
  const ceiling = dayCeiling(limits);
  const isTokens = used.tokens >= ceiling.tokens;
  if (!isTokens && used.microUsd < ceiling.microUsd) return;
  const budget = isTokens ? 'daily_token_budget' : 'daily_cost_budget';
  throw budgetExhausted({ budget, limits, used, resetsAt: dayEnd(now) }, now);
}
