import type { Usage } from '../../storage/shapes/stored-step.js';
import { noUsage } from '../../events/turn-event.js';
import type { DayLimits, Price } from '../../storage/shapes/stored-options.js';
import type { DayShortage } from '../../governance/limits/day-budget.js';
import type { Logger } from '../../platform/logger.js';
import { summaryTokens } from '../prompt/compact-session.js';
import { reserveCall, type ReserveDeps } from '../../governance/budgets/reserve-call.js';
import { settle } from '../../governance/budgets/usage-days.js';

export interface SummaryToPay {
  principalId: string;
  /** Null or undefined: any amount, and nothing is counted. */
  limits: DayLimits | null | undefined;
  price: Price | undefined;
  /** Tokens of the conversation, as far as the provider reported. */
  contextTokens: number;
}

/**
 * Has a conversation summarised at the expense of its principal's day: reserved before the call,
 * settled after it whatever comes of it. A settlement that fails leaves the reservation standing.
 *
 * @param summarise gets a callback for the call's usage so far.
 * @returns the shortage of the day, and no call was made; else what `summarise` gives.
 * @throws what `summarise` throws.
 */
export async function settleSummary<T>(
  { logger, ...deps }: ReserveDeps & { logger: Logger },
  { principalId, limits, price, contextTokens }: SummaryToPay,
  summarise: (onUsage: (usage: Usage) => void) => Promise<T>,
): Promise<T | { shortage: DayShortage }> {
  if (limits === null || limits === undefined) return summarise(() => undefined);
  const { input, reply } = summaryTokens(contextTokens);
  const size = { input, cached: 0, reply };
  const call = { principalId, limits, size, leastReply: reply, price };
  const reserved = await reserveCall(deps, call);
  if (reserved.type === 'refused') return { shortage: reserved.shortage };
  let spent = noUsage;
  try {
    return await summarise((usage) => (spent = usage));
  } finally {
    await settle(deps.db, reserved.reservation, spent).catch((error: unknown) =>
      logger.warn({ error }, 'the reservation of a summary stands until the day is over'),
    );
  }
}
