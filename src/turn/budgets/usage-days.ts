import { and, eq, sql, type SQL } from 'drizzle-orm';
import type { Usage } from '../../storage/shapes/stored-step.js';
import type { Price } from '../../storage/shapes/stored-limits.js';
import { microUsdOf, type DayAmount } from '../../governance/limits/day-budget.js';
import type { Queryable } from '../../storage/connection.js';
import { usageDays } from '../../storage/governance-schema.js';
import { tokensOf } from '../state/turn-state.js';

/** A principal's day, as `2026-01-31` in UTC. */
export interface UsageDay {
  principalId: string;
  day: string;
}

/** Tokens and dollars taken from a day for a call, until its usage is known. */
export interface Reservation extends UsageDay {
  amount: DayAmount;
  /** The model's price; undefined where it is not known. */
  price: Price | undefined;
}

/** Usage of a day, with what is reserved. */
export async function loadUsage(db: Queryable, { principalId, day }: UsageDay): Promise<DayAmount> {
  const [found] = await db
    .select({ tokens: usageDays.tokens, microUsd: usageDays.microUsd })
    .from(usageDays)
    .where(and(eq(usageDays.principalId, principalId), eq(usageDays.day, day)));
  return found ?? { tokens: 0, microUsd: 0 };
}

/** Usage of a day, and which part of it is reserved. */
export async function loadDay(
  db: Queryable,
  { principalId, day }: UsageDay,
): Promise<{ used: DayAmount; reserved: DayAmount }> {
  const [found] = await db
    .select()
    .from(usageDays)
    .where(and(eq(usageDays.principalId, principalId), eq(usageDays.day, day)));
  return {
    used: { tokens: found?.tokens ?? 0, microUsd: found?.microUsd ?? 0 },
    reserved: { tokens: found?.reservedTokens ?? 0, microUsd: found?.reservedMicroUsd ?? 0 },
  };
}

/**
 * Takes an amount of a day if its limit allows that, in one statement: concurrent reservations
 * never exceed the limit.
 *
 * @returns false, with nothing taken, where the limit does not allow it.
 */
export async function reserveFromDay(
  db: Queryable,
  { principalId, day, amount }: Reservation,
  ceiling: DayAmount,
): Promise<boolean> {
  const tokens = sql`${amount.tokens}::bigint`;
  const microUsd = sql`${amount.microUsd}::bigint`;
  const { rows } = await db.execute(sql`
    insert into usage_days as used
      (principal_id, day, tokens, micro_usd, reserved_tokens, reserved_micro_usd)
    select ${principalId}::text, ${day}::date, ${tokens}, ${microUsd}, ${tokens}, ${microUsd}
    where ${fits(tokens, ceiling.tokens)} and ${fits(microUsd, ceiling.microUsd)}
    on conflict (principal_id, day) do update
    set tokens = used.tokens + excluded.tokens, micro_usd = used.micro_usd + excluded.micro_usd,
      reserved_tokens = used.reserved_tokens + excluded.reserved_tokens,
      reserved_micro_usd = used.reserved_micro_usd + excluded.reserved_micro_usd
    where ${fits(sql`used.tokens + excluded.tokens`, ceiling.tokens)}
      and ${fits(sql`used.micro_usd + excluded.micro_usd`, ceiling.microUsd)}
    returning day`);
  return rows.length === 1;
}

/** Replaces a reservation by the call's usage. Part of a fenced statement. */
export function settlement(reservation: Reservation, usage: Usage): SQL {
  return sql`${settling(reservation, usage)} from fence where ${isDay(reservation)}`;
}

/** Settles a reservation outside of a turn's writes. */
export async function settle(db: Queryable, reservation: Reservation, usage: Usage): Promise<void> {
  await db.execute(sql`${settling(reservation, usage)} where ${isDay(reservation)}`);
}

function settling({ amount, price }: Reservation, usage: Usage): SQL {
  const tokens = tokensOf(usage) - amount.tokens;
  const microUsd = microUsdOf(usage, price) - amount.microUsd;
  return sql`update usage_days set tokens = tokens + ${tokens}::bigint,
    micro_usd = micro_usd + ${microUsd}::bigint,
    reserved_tokens = reserved_tokens - ${amount.tokens}::bigint,
    reserved_micro_usd = reserved_micro_usd - ${amount.microUsd}::bigint`;
}

function isDay({ principalId, day }: UsageDay): SQL {
  return sql`principal_id = ${principalId} and day = ${day}::date`;
}

function fits(amount: SQL, most: number): SQL {
  return Number.isFinite(most) ? sql`${amount} <= ${most}::bigint` : sql`true`;
}
