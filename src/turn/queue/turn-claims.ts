import { Inject, Injectable } from '@nestjs/common';
import { CONFIG, type Config } from '../../config/config.js';
import { and, asc, eq, exists, inArray, isNotNull, isNull, lt, not, or, sql } from 'drizzle-orm';
import { alias } from 'drizzle-orm/pg-core';
import { Batcher } from '../../platform/async/batcher.js';
import { batchPool, typesOf, unnest } from '../../storage/statements.js';
import { DATABASE, type Database, type Queryable } from '../../storage/connection.js';
import { isDatabaseDown } from '../../storage/database-errors.js';
import { approvals } from '../../storage/governance-schema.js';
import { activeStatuses, type CancelReason } from '../../storage/shapes/stored-turn.js';
import { turns } from '../../storage/schema.js';
import { countLives, isHeld } from '../../storage/session-lock.js';
import { ownedBy, hasStatus } from '../state/turn-row.js';
import type { Claim } from '../state/attempt.js';
import { claimNextTurns, claimTurn, unleased, waitedMs } from './claim-statements.js';

/** Turns that are still there 2 seconds after a process asked for their end and was to end them. */
const isLeftOver = lt(turns.cancelRequestedAt, sql`now() - interval '2 seconds'`);
/** Turns that a worker has; those of a status that an index has. */
export const isLeased = sql`${turns.status} in ('running', 'held') and ${turns.leaseUntil} > now() and ${turns.worker} is not null`;
/** Turns that this worker has. */
const isOf = (worker: string) =>
  and(isLeased, sql`${turns.worker} = ${turns.attempt}::text || ':' || ${worker}::text`);
const leaseEnd = (leaseMs: number) => sql`now() + ${`${leaseMs} milliseconds`}::interval`;

/** Claims and leases of turns. Times are the database's, so that hosts need no common clock. */
@Injectable()
export class TurnClaims {
  readonly #renewals = new Batcher(
    (owned: readonly OwnedTurn[]) => this.#extendTogether(owned),
    isDatabaseDown,
  );

  constructor(
    @Inject(DATABASE) private readonly db: Database,
    @Inject(CONFIG) private readonly config: Pick<Config, 'leaseMs'>,
  ) {}

  /**
   * Takes the turns that are to run next: raises their attempts and sets the leases, in the statement that
   * chooses them.
   *
   * @param most turns that are taken; fewer where fewer wait.
   * @param worker name of the worker, which turns may prefer; null: it has none.
   * @returns them in no order.
   */
  async claimNext(most: number, now: Date, worker: string | null): Promise<Claim[]> {
    const values = { ...this.#valuesAt(now), most, worker };
    const rows = await claimNextTurns(batchPool(this.db)).execute(values);
    return rows.map((row) => toClaim(row, worker));
  }

  /**
   * Takes a turn only to end it: if no worker has had it yet, while it waits for a person, or if it has lost
   * its worker. Undefined when it is none of these, or its lease is alive.
   */
  async claimToEnd(
    turnId: string,
    now: Date,
    which: keyof typeof endable,
  ): Promise<Claim | undefined> {
    const [claimed] = await claimTurn(this.db).execute({
      ...this.#valuesAt(now),
      statuses: endable[which],
      turnId,
    });
    return claimed && toClaim(claimed, null);
  }

  #valuesAt(now: Date) {
    const lease = `${this.config.leaseMs} milliseconds`;
    return { lease, now: now.toISOString() };
  }

  /** Extends the lease; `lost` when it is no longer this attempt's. */
  async extend(claim: OwnedTurn): Promise<'lost' | Renewed> {
    const together = await this.#renewals.add(claim);
    if (together !== undefined) return together;
    // Lost, or locked by somebody for a moment: the turn is waited for without the others.
    const [row] = await this.db
      .update(turns)
      .set({ leaseUntil: leaseEnd(this.config.leaseMs) })
      .where(ownedBy(claim.id, claim.attempt))
      .returning({ cancel: turns.cancelReason, steered: turns.steeredMessages });
    return row ?? 'lost';
  }

  /** @returns undefined for each turn that is not this attempt's, or that somebody has locked. */
  async #extendTogether(owned: readonly OwnedTurn[]): Promise<(Renewed | undefined)[]> {
    const { id, attempt } = turns;
    const input = unnest(
      typesOf({ id, attempt }),
      owned.map((turn) => [turn.id, turn.attempt]),
    );
    const db = batchPool(this.db);
    const mine = db.$with('mine', { id: turns.id }).as(sql`
      select turns.id from ${turns} join ${input} on turns.id = input.id
        and turns.attempt = input.attempt and turns.status in ('running', 'held')
      order by turns.id for no key update of turns skip locked`);
    const rows = await db
      .with(mine)
      .update(turns)
      .set({ leaseUntil: leaseEnd(this.config.leaseMs) })
      .where(sql`${turns.id} in (select mine.id from mine)`)
      .returning({ id, attempt, cancel: turns.cancelReason, steered: turns.steeredMessages });
    return owned.map((turn) => {
      const row = rows.find((one) => one.id === turn.id && one.attempt === turn.attempt);
      return row && { cancel: row.cancel, steered: row.steered };
    });
  }

  /** Hands a turn back, in order: the next claim need not wait for the lease to run out. */
  async release(claim: OwnedTurn): Promise<void> {
    await this.db
      .update(turns)
      .set({ leaseUntil: null, attemptsInVain: 0 })
      .where(ownedBy(claim.id, claim.attempt));
  }

  /** Leaves a turn to be claimed in a second, as if it had not been claimed. */
  async postpone(claim: OwnedTurn): Promise<void> {
    await this.db
      .update(turns)
      .set({ leaseUntil: leaseEnd(1_000), attemptsInVain: sql`${turns.attemptsInVain} - 1` })
      .where(ownedBy(claim.id, claim.attempt));
  }

  /**
   * Lets parked turns go on: the worker that claims them next finds out why.
   *
   * @returns those that were parked.
   */
  async wake(turnIds: readonly string[], db: Queryable = this.db): Promise<string[]> {
    if (turnIds.length === 0) return [];
    const woken = await db
      .update(turns)
      .set({ status: 'running', waitedMs, waitingSince: null })
      .where(and(inArray(turns.id, [...turnIds]), hasStatus('waiting'), unleased))
      .returning({ id: turns.id });
    return woken.map(({ id }) => id);
  }

  /** Turns that are parked though they were answered, or asked to end. */
  async wakeable(): Promise<string[]> {
    const answered = this.db
      .select({ one: sql`1` })
      .from(approvals)
      .where(
        and(
          eq(approvals.turnId, turns.id),
          isNotNull(approvals.decision),
          isNull(approvals.appliedAttempt),
        ),
      );
    return this.#unclaimed(and(hasStatus('waiting'), or(exists(answered), isLeftOver)));
  }

  /** Held turns that were asked to end, and that the asking process did not end. */
  async unwanted(): Promise<{ id: string; reason: CancelReason }[]> {
    const rows = await this.db
      .select({ id: turns.id, reason: turns.cancelReason })
      .from(turns)
      .where(and(hasStatus('held'), isLeftOver, unleased));
    return rows.flatMap(({ id, reason }) => (reason === null ? [] : [{ id, reason }]));
  }

  /** Subagents whose parent has ended, and that were not asked to end. */
  async orphans(): Promise<string[]> {
    const parent = alias(turns, 'parent');
    return this.#unclaimed(
      and(
        hasStatus(...activeStatuses),
        isNull(turns.cancelRequestedAt),
        exists(
          this.db
            .select({ one: sql`1` })
            .from(parent)
            .where(and(eq(parent.id, turns.parentTurnId), isNotNull(parent.endedAt))),
        ),
      ),
    );
  }

  /** Sessions whose turns are held behind no other. */
  async stuckSessions(): Promise<string[]> {
    const active = alias(turns, 'active');
    const inFront = this.db
      .select({ one: sql`1` })
      .from(active)
      .where(
        and(
          eq(active.sessionId, turns.sessionId),
          sql`${active.status} in ('queued', 'running', 'waiting')`,
        ),
      );
    const rows = await this.db
      .selectDistinct({ id: turns.sessionId })
      .from(turns)
      .where(and(hasStatus('held'), isNull(turns.cancelRequestedAt), not(exists(inFront))));
    return rows.map(({ id }) => id);
  }

  /** Ends every lease. Only for a process that has the database for itself. */
  async releaseAll(): Promise<void> {
    await this.db.update(turns).set({ leaseUntil: null }).where(hasStatus('running', 'held'));
  }

  /** Workers whose turns have a lease, and whose life no lock shows. The engine of one process has no such locks. */
  async silentWorkers(): Promise<string[]> {
    const { rows } = await this.db.execute(sql`
      with leased as (
        select distinct split_part(worker, ':', 2) as name from turns
        where ${isLeased} and split_part(worker, ':', 1) = attempt::text)
      select name from leased where not ${sql.raw(isHeld('leased.name'))}`);
    return (rows as { name: string }[]).map(({ name }) => name);
  }

  /** The turns of a worker, with the ends of their leases. */
  async leasedBy(worker: string): Promise<{ id: string; leaseUntil: Date }[]> {
    const rows = await this.db
      .select({ id: turns.id, leaseUntil: turns.leaseUntil })
      .from(turns)
      .where(isOf(worker));
    return rows.flatMap(({ id, leaseUntil }) => (leaseUntil === null ? [] : [{ id, leaseUntil }]));
  }

  /** The number of workers whose life a lock shows. */
  async livingWorkers(): Promise<number> {
    const { rows } = await this.db.execute(sql.raw(`select ${countLives}::integer as living`));
    const [found] = rows as { living: number }[];
    return found?.living ?? 0;
  }

  /** Ends the leases of a worker that is gone, so that others take its turns over. @returns their number. */
  async releaseOf(worker: string): Promise<number> {
    const released = await this.db
      .update(turns)
      .set({ leaseUntil: null })
      .where(isOf(worker))
      .returning({ id: turns.id });
    return released.length;
  }

  /** Number of turns to be claimed: those without a worker, and those that have been queued for `ms`. */
  async claimable(ms: number): Promise<number> {
    const since = sql`now() - ${`${ms} milliseconds`}::interval`;
    return this.db.$count(
      turns,
      or(and(hasStatus('running'), unleased), and(hasStatus('queued'), lt(turns.createdAt, since))),
    );
  }

  async #unclaimed(which: ReturnType<typeof and>): Promise<string[]> {
    const rows = await this.db
      .select({ id: turns.id })
      .from(turns)
      .where(which)
      .orderBy(asc(turns.createdAt));
    return rows.map((row) => row.id);
  }
}

/** The state that a heartbeat reports. */
export interface Renewed {
  cancel: CancelReason | null;
  /** Messages steered into the turn so far. */
  steered: number;
}

function toClaim({ turn, ...rest }: ClaimRow, worker: string | null): Claim {
  return { ...turn, ...rest, worker };
}

type ClaimRow = Awaited<ReturnType<ReturnType<typeof claimTurn>['execute']>>[number];

const endable = { unstarted: ['held', 'queued'], parked: ['waiting'], stranded: ['running'] };

type OwnedTurn = Pick<Claim, 'id' | 'attempt'>;
