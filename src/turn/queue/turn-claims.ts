import { Inject, Injectable } from '@nestjs/common';
import { CONFIG, type Config } from '../../config/config.js';
import { and, asc, eq, exists, inArray, isNotNull, isNull, lt, not, or, sql } from 'drizzle-orm';
import { alias } from 'drizzle-orm/pg-core';
import { Batcher } from '../../platform/batcher.js';
import { DATABASE, type Database, type Queryable } from '../../storage/connection.js';
import { isDatabaseDown } from '../../storage/database-errors.js';
import { approvals } from '../../storage/governance-schema.js';
import { activeStatuses, type CancelReason } from '../../storage/shapes/stored-turn.js';
import { turns } from '../../storage/schema.js';
import { ownedBy } from '../state/fence.js';
import { claimAlone, claimTogether, unleased, waitedMs, type Claim } from './claim-statements.js';

/** Turns that are still there 2 seconds after a process asked for their end and was to end them. */
const isLeftOver = lt(turns.cancelRequestedAt, sql`now() - interval '2 seconds'`);
const leaseEnd = (leaseMs: number) => sql`now() + ${`${leaseMs} milliseconds`}::interval`;

/** Claims and leases of turns. Times are the database's, so that hosts need no common clock. */
@Injectable()
export class TurnClaims {
  readonly #batches = new Batcher(
    (turns: readonly { turnId: string; now: Date }[]) => this.#claimTogether(turns),
    isDatabaseDown,
  );

  constructor(
    @Inject(DATABASE) private readonly db: Database,
    @Inject(CONFIG) private readonly config: Pick<Config, 'leaseMs'>,
  ) {}

  /**
   * Takes a turn that nobody works on: raises its attempt and sets the lease, in one statement.
   * Undefined when it has ended or its lease is alive: the second starter leaves.
   *
   * @param only takes it only to end it: if no worker has had it yet, or while it waits for a person.
   */
  async claim(turnId: string, now: Date, only?: keyof typeof endable): Promise<Claim | undefined> {
    const together = only === undefined ? await this.#batches.add({ turnId, now }) : undefined;
    if (together !== undefined) return together;
    // A turn that somebody has locked for a moment is waited for without the others.
    const statuses = only === undefined ? runnable : endable[only];
    const [claimed] = await this.#claim(claimAlone, [turnId], { now, statuses });
    return claimed;
  }

  async #claimTogether(
    wanted: readonly { turnId: string; now: Date }[],
  ): Promise<(Claim | undefined)[]> {
    const turnIds = wanted.map(({ turnId }) => turnId);
    const now = wanted[0]?.now ?? new Date();
    const claims = await this.#claim(claimTogether, [...new Set(turnIds)], {
      now,
      statuses: runnable,
    });
    const byTurn = new Map(claims.map((claim) => [claim.id, claim]));
    // A turn that is wanted twice is given once.
    return turnIds.map((turnId) => {
      const claim = byTurn.get(turnId);
      byTurn.delete(turnId);
      return claim;
    });
  }

  async #claim(
    statement: typeof claimAlone,
    turnIds: readonly string[],
    { now, statuses }: { now: Date; statuses: readonly string[] },
  ): Promise<Claim[]> {
    const claimed = await statement(this.db).execute({
      turnIds: [...turnIds],
      lease: `${this.config.leaseMs} milliseconds`,
      now: now.toISOString(),
      statuses: [...statuses],
    });
    return claimed.map(({ turn, ...rest }) => ({ ...turn, ...rest }));
  }

  /** Extends the lease; `lost` when it is no longer this attempt's. */
  async extend(claim: OwnedTurn): Promise<'lost' | Renewed> {
    const [row] = await this.db
      .update(turns)
      .set({ leaseUntil: leaseEnd(this.config.leaseMs) })
      .where(ownedBy(claim.id, claim.attempt))
      .returning({ cancel: turns.cancelReason, steered: turns.steeredMessages });
    return row ?? 'lost';
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
      .where(and(inArray(turns.id, [...turnIds]), eq(turns.status, 'waiting'), unleased))
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
    return this.#unclaimed(and(eq(turns.status, 'waiting'), or(exists(answered), isLeftOver)));
  }

  /** Held turns that were asked to end, and that the asking process did not end. */
  async unwanted(): Promise<{ id: string; reason: CancelReason }[]> {
    const rows = await this.db
      .select({ id: turns.id, reason: turns.cancelReason })
      .from(turns)
      .where(and(eq(turns.status, 'held'), isLeftOver, unleased));
    return rows.flatMap(({ id, reason }) => (reason === null ? [] : [{ id, reason }]));
  }

  /** Subagents whose parent has ended, and that were not asked to end. */
  async orphans(): Promise<string[]> {
    const parent = alias(turns, 'parent');
    return this.#unclaimed(
      and(
        inArray(turns.status, [...activeStatuses]),
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
      .where(and(eq(turns.status, 'held'), isNull(turns.cancelRequestedAt), not(exists(inFront))));
    return rows.map(({ id }) => id);
  }

  /** Ends every lease. Only for a process that has the database for itself. */
  async releaseAll(): Promise<void> {
    await this.db
      .update(turns)
      .set({ leaseUntil: null })
      .where(inArray(turns.status, ['running', 'held']));
  }

  /** Turns whose worker is gone or handed them back, oldest first. */
  async lapsed(): Promise<string[]> {
    return this.#unclaimed(and(eq(turns.status, 'running'), unleased));
  }

  /** Turns that no worker has had for `ms` milliseconds, oldest first. */
  async unclaimed(ms: number): Promise<string[]> {
    const since = sql`now() - ${`${ms} milliseconds`}::interval`;
    return this.#unclaimed(and(eq(turns.status, 'queued'), lt(turns.createdAt, since)));
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

const runnable = ['queued', 'running'];

const endable = { unstarted: ['held', 'queued'], parked: ['waiting'] };

type OwnedTurn = Pick<Claim, 'id' | 'attempt'>;
