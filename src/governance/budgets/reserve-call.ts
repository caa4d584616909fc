import { and, eq, gt, ne, sql } from 'drizzle-orm';
import {
  amountOf,
  dayCeiling,
  dayEnd,
  dayOf,
  fitDay,
  type CallSize,
  type DayShortage,
  describeReserved,
  describeDayShortage,
  startsAgain,
} from '../limits/day-budget.js';
import type { DayLimits, Price } from '../../storage/shapes/stored-options.js';
import { type Clock, pause } from '../../platform/clock.js';
import { retry, type RetryDelays, untilAborted } from '../../platform/async/deadlines.js';
import type { Database, Queryable } from '../../storage/connection.js';
import { isDatabaseDown } from '../../storage/database-errors.js';
import { loadDay, reserveFromDay, type Reservation } from './usage-days.js';
import { clientNotice, type TurnEventBody } from '../../events/turn-event.js';
import { turns } from '../../storage/schema.js';
import { TypedError } from '../../errors/typed-error.js';

/** The delays between tries while the database does not answer. */
const retryDelays: RetryDelays = { firstMs: 250, maxMs: 250 };

/** A try finds less than there was a moment ago where another call has overtaken it. */
const MAX_TRIES = 10;

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
  minReply: number;
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
  const { principalId, limits, minReply, price } = call;
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
    if (isBetterLater || reply < minReply || tries === MAX_TRIES) {
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
async function findReply(deps: ReserveDeps, call: CallToReserve): Promise<FoundReply> {
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
function inTheEnd<T>({ clock, signal }: ReserveDeps, ask: () => Promise<T>): Promise<T> {
  return retry(clock, { ...retryDelays, mayRetry: isDatabaseDown, signal }, ask);
}

/** Milliseconds a turn waits at most for tokens that others have reserved. */
const WAIT_MS = 30_000;

/** Milliseconds between two polls of the day. */
const LOOK_MS = 250;

/** What a turn waits by. `signal` is its lease's. */
export interface WaitDeps extends ReserveDeps {
  turnId: string;
  emit(notice: TurnEventBody): void;
  /** Waits for what needs no slot of the worker. */
  releaseSlotWhile(wait: () => Promise<void>): Promise<void>;
}

/** The wait of a call for its reservation: one deadline and one notice for all tries. */
export class ReservationWait {
  #endsAt: number | undefined;

  constructor(private readonly deps: WaitDeps) {}

  /**
   * Reserves a call. Where other turns have reserved the tokens and will give most of them back,
   * the call waits for them without its worker's slot, and a notice says so.
   *
   * @throws the reason of the lease when it ends.
   */
  async reserve(call: CallToReserve): Promise<Reserved> {
    const { deps } = this;
    while (!this.#isOver()) {
      const reserved = await reserveCall(deps, { ...call, mayWait: true });
      if (reserved.type === 'reserved' || !reserved.isWorthWaiting) return reserved;
      if (!(await this.#othersRun(call))) return reserveCall(deps, call);
      this.#begin(reserved.shortage);
      await deps.releaseSlotWhile(() => this.#untilHeadroom(call));
    }
    deps.signal.throwIfAborted();
    return reserveCall(deps, call);
  }

  #isOver(): boolean {
    return this.#endsAt !== undefined && this.deps.clock.now() >= this.#endsAt;
  }

  #begin(shortage: DayShortage): void {
    if (this.#endsAt !== undefined) return;
    this.#endsAt = this.deps.clock.now() + WAIT_MS;
    this.deps.emit(waitNotice(shortage));
  }

  /** Headroom that is found may be gone a moment later: it is reserved only with the slot back. */
  async #untilHeadroom(call: CallToReserve): Promise<void> {
    const { deps } = this;
    do {
      await untilAborted(pause(deps.clock, LOOK_MS), deps.signal);
      if (!(await findReply(deps, call)).isWorthWaiting) return;
    } while (!this.#isOver() && (await this.#othersRun(call)));
  }

  /** Whether a turn may give back its reservation. A turn whose worker died gives nothing. */
  async #othersRun({ principalId }: CallToReserve): Promise<boolean> {
    const { deps } = this;
    const found = await inTheEnd(deps, () =>
      deps.db
        .select({ id: turns.id })
        .from(turns)
        .where(
          and(
            eq(turns.principalId, principalId),
            eq(turns.status, 'running'),
            gt(turns.leaseUntil, sql`now()`),
            ne(turns.id, deps.turnId),
          ),
        )
        .limit(1),
    );
    return found.length > 0;
  }
}

function waitNotice(shortage: DayShortage): TurnEventBody {
  return clientNotice(
    'step',
    'budget-wait',
    `${describeReserved(shortage)} The turn waits for up to ${WAIT_MS / 1_000} s.`,
    { budget: shortage.budget, waitMs: WAIT_MS },
  );
}

/**
 * Refuses a turn of a principal that has used up its day: it would end before its first call.
 * Reservations of running calls do not count as used.
 *
 * @throws TypedError BUDGET_EXHAUSTED 429, to be sent again when the next day begins.
 */
export async function checkBudget(
  { db, clock }: { db: Queryable; clock: Clock },
  principalId: string,
  limits: DayLimits,
): Promise<void> {
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
