import { and, eq, sql, type SQL } from 'drizzle-orm';
import type { Usage } from '../../storage/shapes/stored-step.js';
import type { Price } from '../../storage/shapes/stored-options.js';
import { microUsdOf, type DayAmount } from '../limits/day-budget.js';
import { Batcher } from '../../platform/async/batcher.js';
import { batchPool, ofDatabase } from '../../storage/statements.js';
import type { Database, Queryable } from '../../storage/connection.js';
import { isDatabaseDown } from '../../storage/database-errors.js';
import { usageDays } from '../../storage/governance-schema.js';
import { writeKind, type StoreWrite } from '../../storage/write-kind.js';
import { tokensOf } from '../limits/cost.js';

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

/** An amount that is to be reserved from a day: a call's, or the sum of calls that are reserved at the same time. */
interface DayReservation extends UsageDay {
  amount: DayAmount;
  /** The lowest limit among the calls. */
  ceiling: DayAmount;
  calls: number;
}

/** Calls of the moment take from their days together. */
const reservations = ofDatabase(
  (db) =>
    new Batcher(async (calls: readonly DayReservation[]) => {
      const days = new Map<string, DayReservation>();
      for (const call of calls) days.set(keyOf(call), addReservation(days.get(keyOf(call)), call));
      const taken = await takeFromDays(batchPool(db), [...days.values()]);
      return calls.map((call) => {
        if (taken.has(keyOf(call))) return 'taken';
        return days.get(keyOf(call))?.calls === 1 ? 'refused' : 'too much together';
      });
    }, isDatabaseDown),
);

/**
 * Takes an amount of a day if its limit allows that, in one statement: concurrent reservations
 * never exceed the limit.
 *
 * @returns false, with nothing taken, where the limit does not allow it.
 */
export async function reserveFromDay(
  db: Database,
  { principalId, day, amount }: Reservation,
  ceiling: DayAmount,
): Promise<boolean> {
  const reservation = { principalId, day, amount, ceiling, calls: 1 };
  const answer = await reservations(db).add(reservation);
  if (answer !== 'too much together') return answer === 'taken';
  return (await takeFromDays(db, [reservation])).size === 1;
}

function addReservation(sum: DayReservation | undefined, call: DayReservation): DayReservation {
  if (sum === undefined) return call;
  return {
    ...call,
    amount: {
      tokens: sum.amount.tokens + call.amount.tokens,
      microUsd: sum.amount.microUsd + call.amount.microUsd,
    },
    ceiling: {
      tokens: Math.min(sum.ceiling.tokens, call.ceiling.tokens),
      microUsd: Math.min(sum.ceiling.microUsd, call.ceiling.microUsd),
    },
    calls: sum.calls + 1,
  };
}

/** @param days what is reserved of each day, each once. @returns the keys of those whose limit allowed it. */
async function takeFromDays(db: Database, days: readonly DayReservation[]): Promise<Set<string>> {
  const column = (of: (day: DayReservation) => unknown): SQL => sql`${sql.param(days.map(of))}`;
  const limit = (most: number): number | null => (Number.isFinite(most) ? most : null);
  const { rows } = await db.execute(sql`
    with reservation as (
      select * from unnest(
        ${column((one) => one.principalId)}::text[], ${column((one) => one.day)}::date[],
        ${column(({ amount }) => amount.tokens)}::bigint[],
        ${column(({ amount }) => amount.microUsd)}::bigint[],
        ${column(({ ceiling }) => limit(ceiling.tokens))}::bigint[],
        ${column(({ ceiling }) => limit(ceiling.microUsd))}::bigint[]
      ) reservation (principal_id, day, tokens, micro_usd, max_tokens, max_micro_usd)
    )
    insert into usage_days as used
      (principal_id, day, tokens, micro_usd, reserved_tokens, reserved_micro_usd)
    select principal_id, day, tokens, micro_usd, tokens, micro_usd from reservation
    where tokens <= coalesce(max_tokens, tokens) and micro_usd <= coalesce(max_micro_usd, micro_usd)
    -- In order, so that two statements do not wait for each other.
    order by principal_id, day
    on conflict (principal_id, day) do update
    set tokens = used.tokens + excluded.tokens, micro_usd = used.micro_usd + excluded.micro_usd,
      reserved_tokens = used.reserved_tokens + excluded.reserved_tokens,
      reserved_micro_usd = used.reserved_micro_usd + excluded.reserved_micro_usd
    where exists (select from reservation
      where reservation.principal_id = used.principal_id and reservation.day = used.day
        and (max_tokens is null or used.tokens + excluded.tokens <= max_tokens)
        and (max_micro_usd is null or used.micro_usd + excluded.micro_usd <= max_micro_usd))
    returning principal_id as "principalId", to_char(day, 'YYYY-MM-DD') as day`);
  return new Set((rows as UsageDay[]).map(keyOf));
}

function keyOf({ principalId, day }: UsageDay): string {
  return `${day} ${principalId}`;
}

const { principalId, day, tokens, microUsd, reservedTokens, reservedMicroUsd } = usageDays;

/** Adds to days. Rows of one day are summed: an update changes a row once. */
const addToDays = writeKind(
  { principalId, day, tokens, microUsd, reservedTokens, reservedMicroUsd },
  (input) => `update usage_days set tokens = usage_days.tokens + added.tokens,
    micro_usd = usage_days.micro_usd + added.micro_usd,
    reserved_tokens = usage_days.reserved_tokens + added.reserved_tokens,
    reserved_micro_usd = usage_days.reserved_micro_usd + added.reserved_micro_usd
    from (
      -- In order, so that two statements do not wait for each other.
      select summed.* from (
        select "principalId" as principal_id, day, sum(tokens) as tokens,
          sum("microUsd") as micro_usd, sum("reservedTokens") as reserved_tokens,
          sum("reservedMicroUsd") as reserved_micro_usd
        from ${input} group by 1, 2) summed
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
