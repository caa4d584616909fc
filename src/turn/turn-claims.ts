import { and, asc, desc, eq, getTableColumns, isNull, lt, ne, or, sql } from 'drizzle-orm';
import { alias } from 'drizzle-orm/pg-core';
import type { StoredPart } from '../attachments/stored-part.js';
import type { Todo } from '../notices/todo.js';
import type { SessionRow } from '../session/session-store.js';
import type { Database } from '../storage/connection.js';
import { prepared } from '../storage/prepared.js';
import {
  compactions,
  messages,
  sessions,
  todos,
  turnArchives,
  turns,
  type CancelReason,
} from '../storage/schema.js';
import { ownedBy } from './fence.js';
import type { TurnRow } from './turn-lookup.js';

const unleased = or(isNull(turns.leaseUntil), lt(turns.leaseUntil, sql`now()`));
const leaseEnd = (leaseMs: number) => sql`now() + ${`${leaseMs} milliseconds`}::interval`;

/** A turn as it was claimed; its `attempt` is the claimer's fence. */
export interface Claim extends TurnRow {
  session: SessionRow;
  /** What the user said, files by reference. */
  userParts: StoredPart[];
  /** Something was said of it before. */
  wasAnnounced: boolean;
  /** The session has other turns: they came before. */
  hasHistory: boolean;
  todos: Todo[] | null;
  /** The session's last one. */
  compaction: Compaction | null;
}

/** A summary that stands for the turns up to one. */
export interface Compaction {
  id: string;
  throughTurnId: string;
  summary: string;
}

const claimTurn = prepared((db) => {
  const turnId = sql.placeholder('turnId');
  const userParts = db
    .select({ parts: messages.parts })
    .from(messages)
    .where(and(eq(messages.turnId, turns.id), eq(messages.role, 'user')));
  const said = db.select().from(turnArchives).where(eq(turnArchives.turnId, turns.id));
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
  return db
    .update(turns)
    .set({
      attempt: sql`${turns.attempt} + 1`,
      status: 'running',
      leaseUntil: sql`now() + ${sql.placeholder('lease')}::interval`,
      startedAt: sql`coalesce(${turns.startedAt}, ${sql.placeholder('now')}::timestamptz)`,
    })
    .from(sessions)
    .where(
      and(
        eq(turns.id, turnId),
        eq(sessions.id, turns.sessionId),
        unleased,
        sql`${turns.status} = any(${sql.placeholder('statuses')}::text[])`,
      ),
    )
    .returning({
      turn: getTableColumns(turns),
      session: getTableColumns(sessions),
      userParts: sql<StoredPart[]>`(${userParts})`.mapWith(messages.parts),
      wasAnnounced: sql<boolean>`exists (${said})`,
      hasHistory: sql<boolean>`exists (${others})`,
      todos: sql<Todo[] | null>`(${list})`.mapWith(todos.items),
      compaction: sql<Compaction | null>`(select row_to_json(last) from (${last}) last)`,
    })
    .prepare('claim_turn');
});

/** Who works on a turn. Times are the database's, so that hosts need no common clock. */
export class TurnClaims {
  constructor(
    private readonly db: Database,
    private readonly leaseMs: number,
  ) {}

  /**
   * Takes a turn that nobody works on: raises its attempt and sets the lease, in one statement.
   * Undefined when it has ended or its lease is alive: the second starter leaves.
   *
   * @param only takes it only if no worker has had it yet.
   */
  async claim(turnId: string, now: Date, only?: 'unstarted'): Promise<Claim | undefined> {
    const [claimed] = await claimTurn(this.db).execute({
      turnId,
      lease: `${this.leaseMs} milliseconds`,
      now: now.toISOString(),
      statuses: only === 'unstarted' ? ['queued'] : ['queued', 'running'],
    });
    if (claimed === undefined) return undefined;
    const { turn, ...rest } = claimed;
    return { ...turn, ...rest };
  }

  /** Extends the lease; `lost` when it is no longer this attempt's. */
  async extend(claim: OwnedTurn): Promise<'lost' | { cancel: CancelReason | null }> {
    const [row] = await this.db
      .update(turns)
      .set({ leaseUntil: leaseEnd(this.leaseMs) })
      .where(ownedBy(claim.id, claim.attempt))
      .returning({ cancel: turns.cancelReason });
    return row ?? 'lost';
  }

  /** Hands a turn back: the next claim need not wait for the lease to run out. */
  async release(claim: OwnedTurn): Promise<void> {
    await this.db.update(turns).set({ leaseUntil: null }).where(ownedBy(claim.id, claim.attempt));
  }

  /** Ends every lease. Only for a process that has the database for itself. */
  async releaseAll(): Promise<void> {
    await this.db.update(turns).set({ leaseUntil: null }).where(eq(turns.status, 'running'));
  }

  /** Turns whose worker is gone or handed them back, oldest first. */
  async lapsed(): Promise<string[]> {
    return this.#unclaimed(and(eq(turns.status, 'running'), unleased));
  }

  /** Turns that no worker has had for `ms` milliseconds, oldest first. */
  async waiting(ms: number): Promise<string[]> {
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

type OwnedTurn = Pick<Claim, 'id' | 'attempt'>;
