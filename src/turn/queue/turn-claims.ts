import { Inject, Injectable } from '@nestjs/common';
import { CONFIG, type Config } from '../../config/config.js';
import {
  and,
  asc,
  desc,
  eq,
  exists,
  getTableColumns,
  inArray,
  isNotNull,
  isNull,
  lt,
  ne,
  not,
  or,
  sql,
} from 'drizzle-orm';
import { alias } from 'drizzle-orm/pg-core';
import type { StoredPart } from '../../storage/shapes/stored-part.js';
import type { Todo } from '../../storage/shapes/todo.js';
import type { SessionRow } from '../../session/session-store.js';
import { Batcher } from '../../platform/batcher.js';
import { DATABASE, type Database, type Queryable } from '../../storage/connection.js';
import { isDatabaseDown } from '../../storage/database-errors.js';
import { approvals, sessionGrants } from '../../storage/governance-schema.js';
import { prepared } from '../../storage/prepared.js';
import { activeStatuses, type CancelReason } from '../../storage/shapes/stored-turn.js';
import { messages, turnArchives } from '../../storage/transcript-schema.js';
import { sessions, turns } from '../../storage/schema.js';
import type { RequestPrefix } from '../../storage/shapes/sent-request.js';
import { compactions, todos } from '../../storage/conversation-schema.js';
import { countInVain } from '../attempt/attempts-in-vain.js';
import { ownedBy } from '../state/fence.js';
import type { TurnRow } from '../state/turn-lookup.js';

const unleased = or(isNull(turns.leaseUntil), lt(turns.leaseUntil, sql`now()`));
/** Turns that are still there 2 seconds after a process asked for their end and was to end them. */
const isLeftOver = lt(turns.cancelRequestedAt, sql`now() - interval '2 seconds'`);
/** Time for which a turn is parked does not count as its own. */
const waitedMs = sql`least(2147483647, ${turns.waitedMs} + coalesce(
  extract(epoch from now() - ${turns.waitingSince}) * 1000, 0))::integer`;
const leaseEnd = (leaseMs: number) => sql`now() + ${`${leaseMs} milliseconds`}::interval`;

/** The turn's session, with what that session's requests begin with. */
export interface ClaimedSession extends SessionRow {
  prefix: RequestPrefix | null;
}

/** A turn as it was claimed; its `attempt` is the claimer's fence. */
export interface Claim extends TurnRow {
  session: ClaimedSession;
  /** The user's message, files by reference. */
  userParts: StoredPart[];
  /** The turn has archived events. */
  wasAnnounced: boolean;
  /** The session has other turns: they came before. */
  hasHistory: boolean;
  todos: Todo[] | null;
  /** Rules that people approved for the rest of the session. */
  grants: string[];
  /** The session's last compaction. */
  compaction: Compaction | null;
}

/** A summary that stands for the turns up to `throughTurnId`. */
export interface Compaction {
  id: string;
  throughTurnId: string;
  summary: string;
}

const claimTurn = prepared((db) => {
  const chosen = db
    .select({ id: turns.id })
    .from(turns)
    .where(sql`${turns.id} = any(${sql.placeholder('turnIds')}::text[])`)
    .orderBy(asc(turns.id))
    .for('no key update');
  const userParts = db
    .select({ parts: messages.parts })
    .from(messages)
    .where(and(eq(messages.turnId, turns.id), eq(messages.role, 'user')));
  const archived = db.select().from(turnArchives).where(eq(turnArchives.turnId, turns.id));
  const other = alias(turns, 'other');
  const others = db
    .select({ id: other.id })
    .from(other)
    .where(and(eq(other.sessionId, turns.sessionId), ne(other.id, turns.id)));
  const list = db
    .select({ items: todos.items })
    .from(todos)
    .where(eq(todos.sessionId, turns.sessionId));
  const last = db
    .select({
      id: compactions.id,
      throughTurnId: sql`${compactions.throughTurnId}`.as('throughTurnId'),
      summary: compactions.summary,
    })
    .from(compactions)
    .where(eq(compactions.sessionId, turns.sessionId))
    .orderBy(desc(compactions.createdAt), desc(compactions.id))
    .limit(1);
  const rules = db
    .select({
      rules: sql`coalesce(json_agg(${sessionGrants.rule}
        order by ${sessionGrants.createdAt}, ${sessionGrants.rule}), '[]')`.as('rules'),
    })
    .from(sessionGrants)
    .where(
      eq(
        sessionGrants.sessionId,
        // A subagent has what its parent's session was granted.
        sql`coalesce(${turns.childTerms} ->> 'sessionId', ${turns.sessionId})`,
      ),
    );
  return db
    .update(turns)
    .set({
      attempt: sql`${turns.attempt} + 1`,
      attemptsInVain: countInVain,
      // A held turn is only ever ended: it must not take its session's lock.
      status: sql`case when ${turns.status} = 'held' then 'held' else 'running' end`,
      waitedMs,
      waitingSince: null,
      leaseUntil: sql`now() + ${sql.placeholder('lease')}::interval`,
      startedAt: sql`coalesce(${turns.startedAt}, ${sql.placeholder('now')}::timestamptz)`,
    })
    .from(sessions)
    .where(
      and(
        inArray(turns.id, chosen),
        eq(sessions.id, turns.sessionId),
        unleased,
        sql`${turns.status} = any(${sql.placeholder('statuses')}::text[])`,
      ),
    )
    .returning({
      turn: getTableColumns(turns),
      session: getTableColumns(sessions),
      userParts: sql<StoredPart[]>`(${userParts})`.mapWith(messages.parts),
      wasAnnounced: sql<boolean>`exists (${archived})`,
      hasHistory: sql<boolean>`exists (${others})`,
      todos: sql<Todo[] | null>`(${list})`.mapWith(todos.items),
      grants: sql<string[]>`(${rules})`,
      compaction: sql<Compaction | null>`(select row_to_json(last) from (${last}) last)`,
    })
    .prepare('claim_turn');
});

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
    if (only === undefined) return this.#batches.add({ turnId, now });
    const [claimed] = await this.#claim([turnId], { now, statuses: endable[only] });
    return claimed;
  }

  async #claimTogether(
    wanted: readonly { turnId: string; now: Date }[],
  ): Promise<(Claim | undefined)[]> {
    const turnIds = wanted.map(({ turnId }) => turnId);
    const now = wanted[0]?.now ?? new Date();
    const claims = await this.#claim([...new Set(turnIds)], {
      now,
      statuses: ['queued', 'running'],
    });
    const byTurn = new Map(claims.map((claim) => [claim.id, claim]));
    // Of two that want one turn, one gets it.
    return turnIds.map((turnId) => {
      const claim = byTurn.get(turnId);
      byTurn.delete(turnId);
      return claim;
    });
  }

  async #claim(
    turnIds: readonly string[],
    { now, statuses }: { now: Date; statuses: readonly string[] },
  ): Promise<Claim[]> {
    const claimed = await claimTurn(this.db).execute({
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

const endable = { unstarted: ['held', 'queued'], parked: ['waiting'] };

type OwnedTurn = Pick<Claim, 'id' | 'attempt'>;
