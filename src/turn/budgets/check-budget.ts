import { dayCeiling, dayEnd, dayOf, type DayLimits } from '../../governance/day-budget.js';
import type { Clock } from '../../platform/clock.js';
import type { Queryable } from '../../storage/connection.js';
import { budgetExhausted } from './budget-errors.js';
import { readUsage } from './usage-days.js';

/**
 * Refuses a turn of a principal that has nothing left today: it would end before its first call.
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
  const used = await readUsage(db, { principalId, day: dayOf(now) });
  const ceiling = dayCeiling(limits);
  const isTokens = used.tokens >= ceiling.tokens;
  if (!isTokens && used.microUsd < ceiling.microUsd) return;
  const budget = isTokens ? 'daily_token_budget' : 'daily_cost_budget';
  throw budgetExhausted({ budget, limits, used, resetsAt: dayEnd(now) }, now);
}
