import {
  amountOf,
  dayCeiling,
  dayEnd,
  dayOf,
  fitReply,
  type CallSize,
  type DayLimits,
} from '../../governance/day-budget.js';
import type { DayShortage } from '../../governance/day-limit-reached.js';
import type { Price } from '../../governance/cost.js';
import { pause, type Clock } from '../../platform/clock.js';
import type { Queryable } from '../../storage/connection.js';
import { isDatabaseDown } from '../../storage/database-down.js';
import { readUsage, takeOfDay, type Reservation } from './usage-days.js';

/** Between two tries while the database does not answer, in ms. */
const RETRY_MS = 250;

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
}

export type Reserved =
  | { type: 'reserved'; reservation: Reservation; reply: number; shortage?: DayShortage }
  | { type: 'refused'; shortage: DayShortage };

/**
 * Takes what a call needs at most of its principal's day before the call is made. A day that has
 * no room for the whole reply gives room for a shorter one: `shortage` says what allowed no more.
 *
 * @throws the signal's reason; what the database threw, unless it was away.
 */
export async function reserveCall(deps: ReserveDeps, call: CallToReserve): Promise<Reserved> {
  const { db, clock } = deps;
  const { principalId, limits, leastReply, price } = call;
  const now = clock.now();
  const day = dayOf(now);
  const ceiling = dayCeiling(limits);
  let size = call.size;
  let shortage: DayShortage | undefined;
  for (let tries = 1; ; tries += 1) {
    const reservation = { principalId, day, amount: amountOf(size, price), price };
    if (await inTheEnd(deps, () => takeOfDay(db, reservation, ceiling))) {
      const { reply } = size;
      return { type: 'reserved', reservation, reply, ...(shortage && { shortage }) };
    }
    const used = await inTheEnd(deps, () => readUsage(db, { principalId, day }));
    const left = {
      tokens: ceiling.tokens - used.tokens,
      microUsd: ceiling.microUsd - used.microUsd,
    };
    const { reply, budget } = fitReply(left, call.size, price);
    shortage = { budget, limits, used, resetsAt: dayEnd(now) };
    if (reply < leastReply || tries === MOST_TRIES) return { type: 'refused', shortage };
    size = { ...call.size, reply };
  }
}

/** What an answer that was lost has taken stays taken: rather too much than too little. */
async function inTheEnd<T>({ clock, signal }: ReserveDeps, ask: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await ask();
    } catch (error) {
      if (!isDatabaseDown(error)) throw error;
      signal.throwIfAborted();
      await pause(clock, RETRY_MS);
    }
  }
}
