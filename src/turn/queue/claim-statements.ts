import { and, asc, desc, eq, getTableColumns, isNull, lt, ne, or, sql } from 'drizzle-orm';
import { alias } from 'drizzle-orm/pg-core';
import type { StoredPart, Todo } from '../../storage/shapes/stored-step.js';
import type { Database } from '../../storage/connection.js';
import { sessionGrants } from '../../storage/governance-schema.js';
import { prepared } from '../../storage/statements.js';
import { messages, turnArchives } from '../../storage/transcript-schema.js';
import { sessions, turns, compactions, todos } from '../../storage/schema.js';
import { countAttemptsInVain } from './takeover-guard.js';
import type { Compaction } from '../state/attempt.js';
import { chooseFairly } from './choose-fairly.js';

/** Whether nobody works on the turn. */
export const unleased = or(isNull(turns.leaseUntil), lt(turns.leaseUntil, sql`now()`));
/** Milliseconds that a turn was parked so far, which are not its own. */
export const waitedMs = sql`least(2147483647, ${turns.waitedMs} + coalesce(
  extract(epoch from now() - ${turns.waitingSince}) * 1000, 0))::integer`;

/** A turn and its session, with what an attempt needs of other tables. */
function claimedColumns(db: Database) {
  const userParts = db
    .select({ parts: messages.parts })
    .from(messages)
    .where(and(eq(messages.turnId, turns.id), sql`${messages.role} = 'user'`));
  // The first row, by its index: of an "exists" the planner makes a hash of the whole table.
  const archived = db
    .select({ attempt: turnArchives.attempt })
    .from(turnArchives)
    .where(eq(turnArchives.turnId, turns.id))
    .orderBy(asc(turnArchives.attempt), asc(turnArchives.firstSeq))
    .limit(1);
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
    .orderBy(desc(compactions.createdAt), desc(compactions.id));
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
  return {
    turn: getTableColumns(turns),
    session: getTableColumns(sessions),
    userParts: sql<StoredPart[]>`(${userParts})`.mapWith(messages.parts),
    wasAnnounced: sql<boolean>`(${archived}) is not null`,
    hasHistory: sql<boolean>`exists (${others})`,
    todos: sql<Todo[] | null>`(${list})`.mapWith(todos.items),
    grants: sql<string[]>`(${rules})`,
    compaction: sql<Compaction | null>`(select row_to_json(last) from (${last} limit 1) last)`,
  };
}

/**
 * Whatever is the same in each claim is in the text, not a parameter: a plan for any parameters is then as good
 * as one for these, and the server plans the statement once.
 */
const claimTurns = (db: Database, which: 'next' | 'given', name: string) => {
  const ids =
    which === 'next'
      ? chooseFairly(sql.placeholder('most'), sql.placeholder('worker'))
      : sql`select ${sql.placeholder('turnId')}::text as id`;
  const chosen = db.$with('chosen', { id: turns.id }).as(ids);
  return db
    .with(chosen)
    .update(turns)
    .set({
      attempt: sql`${turns.attempt} + 1`,
      attemptsInVain: countAttemptsInVain,
      // A held turn is only ever ended: it must not take its session's lock.
      status: sql`case when ${turns.status} = 'held' then 'held' else 'running' end`,
      waitedMs,
      waitingSince: sql`null`,
      leaseUntil: sql`now() + ${sql.placeholder('lease')}::interval`,
      // Of this attempt alone: a worker of an earlier release leaves the name of one before it.
      worker:
        which === 'next'
          ? sql`(${turns.attempt} + 1)::text || ':' || ${sql.placeholder('worker')}::text`
          : sql`null`,
      startedAt: sql`coalesce(${turns.startedAt}, ${sql.placeholder('now')}::timestamptz)`,
    })
    .from(sessions)
    .where(
      and(
        sql`${turns.id} in (select chosen.id from chosen)`,
        eq(sessions.id, turns.sessionId),
        unleased,
        which === 'next'
          ? sql`${turns.status} in ('queued', 'running')`
          : sql`${turns.status} = any(${sql.placeholder('statuses')}::text[])`,
      ),
    )
    .returning(claimedColumns(db))
    .prepare(name);
};

/** Claims the turns that are to run next, `most` of them: queued ones, and running ones that lost their worker. */
export const claimNextTurns = prepared('claim_next_turns', (db, name) =>
  claimTurns(db, 'next', name),
);
/** Claims the turn `turnId`, and waits for the transaction that has it locked. */
export const claimTurn = prepared('claim_turn', (db, name) => claimTurns(db, 'given', name));
