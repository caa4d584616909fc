import {
  amountOf,
  dayCeiling,
  dayEnd,
  dayOf,
  fitDay,
  type CallSize,
} from '../../governance/limits/day-budget.js';
import type { DayLimits, Price } from '../../storage/shapes/stored-limits.js';
import type { DayShortage } from '../../governance/limits/day-limit-reached.js';
import type { Clock } from '../../platform/clock.js';
import { retry, type RetryDelays } from '../../platform/retry.js';
import type { Queryable } from '../../storage/connection.js';
import { isDatabaseDown } from '../../storage/database-errors.js';
import { readDay, reserveFromDay, type Reservation } from './usage-days.js';

/** The delays between tries while the database does not answer. */
const retryDelays: RetryDelays = { firstMs: 250, maxMs: 250 };

/** Each try that finds less than was there a moment ago was overtaken by another call. */
const MOST_TRIES = 10;

export interface ReserveDeps {
  db: Queryable;
  clock: Clock;
  /** Ends the waiting for a database that is away. */
  signal: AbortSignal;
}

export interface CallToReserve {
  principalId: string;
  limits: DayLimits;
  size: CallSize;
  /** Tokens of a reply below which the call is not worth making. */
  leastReply: number;
  price: Price | undefined;
  /** No call is made with a short reply while running calls have reserved a longer one. */
  mayWait?: boolean;
}

export type Reserved =
  | { type: 'reserved'; reservation: Reservation; reply: number; shortage?: DayShortage }
  | { type: 'refused'; shortage: DayShortage; isWorthWaiting: boolean };

/**
 * Takes what a call needs at most of its principal's day before the call is made. A day that has
 * no room for the whole reply gives room for a shorter one: `shortage` says what allowed no more.
 *
 * @throws the signal's reason; what the database threw, unless it was away.
 */
export async function reserveCall(deps: ReserveDeps, call: CallToReserve): Promise<Reserved> {
  const { db, clock } = deps;
  const { principalId, limits, leastReply, price } = call;
  const day = dayOf(clock.now());
  const ceiling = dayCeiling(limits);
  let size = call.size;
  let shortage: DayShortage | undefined;
  for (let tries = 1; ; tries += 1) {
    const reservation = { principalId, day, amount: amountOf(size, price), price };
    if (await inTheEnd(deps, () => reserveFromDay(db, reservation, ceiling))) {
      const { reply } = size;
      return { type: 'reserved', reservation, reply, ...(shortage && { shortage }) };
    }
    const found = await findReply(deps, call);
    const { reply } = found;
    shortage = found.shortage;
    const isBetterLater = call.mayWait === true && found.isWorthWaiting;
    if (isBetterLater || reply < leastReply || tries === MOST_TRIES) {
      return { type: 'refused', shortage, isWorthWaiting: found.isWorthWaiting };
    }
    size = { ...call.size, reply };
  }
}

export interface FoundReply {
  /** Tokens of a reply that the day has now. */
  reply: number;
  /** The limit that allows no more. */
  shortage: DayShortage;
  /** See `DayReply`. */
  isWorthWaiting: boolean;
}

/** Finds the headroom of a call's day, and reserves nothing. @throws as `reserveCall` does. */
export async function findReply(deps: ReserveDeps, call: CallToReserve): Promise<FoundReply> {
  const { db, clock } = deps;
  const { principalId, limits } = call;
  const now = clock.now();
  const day = await inTheEnd(deps, () => readDay(db, { principalId, day: dayOf(now) }));
  const { reply, budget, isWorthWaiting } = fitDay({ ...day, ceiling: dayCeiling(limits) }, call);
  return {
    reply,
    shortage: { budget, limits, used: day.used, resetsAt: dayEnd(now) },
    isWorthWaiting,
  };
}

/**
 * Asks until the database answers. What an answer that was lost has taken stays taken: rather too
 * much than too little.
 *
 * @throws the signal's reason; what the database threw, unless it was away.
 */
export function inTheEnd<T>({ clock, signal }: ReserveDeps, ask: () => Promise<T>): Promise<T> {
  return retry(clock, { ...retryDelays, mayRetry: isDatabaseDown, signal }, ask);
}
