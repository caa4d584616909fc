import { and, eq, sql, type SQL } from 'drizzle-orm';
import type { Usage } from '../../storage/shapes/stored-step.js';
import type { Price } from '../../storage/shapes/stored-limits.js';
import { microUsdOf, type DayAmount } from '../../governance/limits/day-budget.js';
import type { Queryable } from '../../storage/connection.js';
import { usageDays } from '../../storage/governance-schema.js';
import { writeKind, type StoreWrite } from '../../storage/write-kind.js';
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

const { principalId, day, tokens, microUsd, reservedTokens, reservedMicroUsd } = usageDays;

/** Adds to days. Rows of one day are summed: an update changes a row once. */
const addToDays = writeKind(
  { principalId, day, tokens, microUsd, reservedTokens, reservedMicroUsd },
  (given) => `update usage_days set tokens = usage_days.tokens + added.tokens,
    micro_usd = usage_days.micro_usd + added.micro_usd,
    reserved_tokens = usage_days.reserved_tokens + added.reserved_tokens,
    reserved_micro_usd = usage_days.reserved_micro_usd + added.reserved_micro_usd
    from (
      -- In order, so that two statements do not wait for each other.
      select summed.* from (
        select "principalId" as principal_id, day, sum(tokens) as tokens,
          sum("microUsd") as micro_usd, sum("reservedTokens") as reserved_tokens,
          sum("reservedMicroUsd") as reserved_micro_usd
        from ${given} group by 1, 2) summed
      join usage_days locked using (principal_id, day)
      order by 1, 2 for no key update of locked) added
    where usage_days.principal_id = added.principal_id and usage_days.day = added.day`,
);

/** Replaces a reservation by the call's usage. Part of a fenced statement. */
export function settlement(reservation: Reservation, usage: Usage): StoreWrite {
  return addToDays(changeOf(reservation, usage));
}

/** Settles a reservation outside of a turn's writes. */
export async function settle(db: Queryable, reservation: Reservation, usage: Usage): Promise<void> {
  const change = changeOf(reservation, usage);
  await db.execute(sql`update usage_days set tokens = tokens + ${change.tokens}::bigint,
    micro_usd = micro_usd + ${change.microUsd}::bigint,
    reserved_tokens = reserved_tokens + ${change.reservedTokens}::bigint,
    reserved_micro_usd = reserved_micro_usd + ${change.reservedMicroUsd}::bigint
    where principal_id = ${change.principalId} and day = ${change.day}::date`);
}

/** Amounts that a call's usage adds to its day, in place of its reservation. */
function changeOf({ principalId, day, amount, price }: Reservation, usage: Usage) {
  return {
    principalId,
    day,
    tokens: tokensOf(usage) - amount.tokens,
    microUsd: microUsdOf(usage, price) - amount.microUsd,
    reservedTokens: -amount.tokens,
    reservedMicroUsd: -amount.microUsd,
  };
}

function fits(amount: SQL, most: number): SQL {
  return Number.isFinite(most) ? sql`${amount} <= ${most}::bigint` : sql`true`;
}
