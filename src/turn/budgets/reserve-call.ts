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
import { retry, type RetryDelays } from '../../platform/async/retry.js';
import type { Database } from '../../storage/connection.js';
import { isDatabaseDown } from '../../storage/database-errors.js';
import { loadDay, reserveFromDay, type Reservation } from './usage-days.js';

/** The delays between tries while the database does not answer. */
const retryDelays: RetryDelays = { firstMs: 250, maxMs: 250 };

/** A try finds less than there was a moment ago where another call has overtaken it. */
const MOST_TRIES = 10;

export interface ReserveDeps {
  db: Database;
  clock: Clock;
  /** Aborts the retries while the database is down. */
  signal: AbortSignal;
}

export interface CallToReserve {
  principalId: string;
  limits: DayLimits;
  size: CallSize;
  /** Tokens of a reply below which the call is not worth making. */
  leastReply: number;
  price: Price | undefined;
  /** Refuses a shorter reply while running calls have reserved enough for a longer one. */
  mayWait?: boolean;
}

export type Reserved =
  | { type: 'reserved'; reservation: Reservation; reply: number; shortage?: DayShortage }
  | { type: 'refused'; shortage: DayShortage; isWorthWaiting: boolean };

/**
 * Reserves the most that a call can need of its principal's day, before the call is made. A day
 * with too little for the whole reply allows a shorter one: `shortage` names the limit.
 *
 * @throws the signal's reason; the database's error, unless it was down.
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
  const day = await inTheEnd(deps, () => loadDay(db, { principalId, day: dayOf(now) }));
  const { reply, budget, isWorthWaiting } = fitDay({ ...day, ceiling: dayCeiling(limits) }, call);
  return {
    reply,
    shortage: { budget, limits, used: day.used, resetsAt: dayEnd(now) },
    isWorthWaiting,
  };
}

/**
 * Retries until the database answers. A reservation whose answer was lost stands: rather too much
 * is reserved than too little.
 *
 * @throws the signal's reason; the database's error, unless it was down.
 */
export function inTheEnd<T>({ clock, signal }: ReserveDeps, ask: () => Promise<T>): Promise<T> {
  return retry(clock, { ...retryDelays, mayRetry: isDatabaseDown, signal }, ask);
}
