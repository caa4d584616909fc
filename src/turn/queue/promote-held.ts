import { and, asc, desc, eq, exists, ne, sql } from 'drizzle-orm';
import { alias } from 'drizzle-orm/pg-core';
import type { Database } from '../../storage/connection.js';
import { violatedConstraint } from '../../storage/database-errors.js';
import { turns } from '../../storage/schema.js';
import { isHeldIn } from '../state/turn-row.js';

/** Held turns that may be ended while they are promoted, before the sweeper has to go on. */
const MAX_PROMOTIONS = 5;

/**
 * Promotes the first held turn of a session, if no turn is active, in one statement that the session's lock guards: of
 * two promotions at once, one happens.
 *
 * @returns its id; undefined: none was promoted.
 */
export async function promoteHeld(db: Database, sessionId: string): Promise<string | undefined> {
  for (let tries = 0; tries < MAX_PROMOTIONS; tries += 1) {
    const [first] = await db
      .select({ id: turns.id })
      .from(turns)
      .where(isHeldIn(sessionId))
      .orderBy(desc(turns.goesFirst), asc(turns.createdAt), asc(turns.id))
      .limit(1);
    if (first === undefined) return undefined;
    const result = await tryPromote(db, sessionId, first.id);
    if (result !== 'gone') return result === 'promoted' ? first.id : undefined;
  }
  // The sweeper goes on.
  return undefined;
}

/** @returns `gone` when the turn was asked to end meanwhile; `busy` when another turn is active. */
async function tryPromote(
  db: Database,
  sessionId: string,
  turnId: string,
): Promise<'promoted' | 'gone' | 'busy'> {
  const other = alias(turns, 'other');
  const others = db
    .select({ one: sql`1` })
    .from(other)
    .where(and(eq(other.sessionId, sessionId), eq(other.status, 'held'), ne(other.id, turnId)));
  try {
    // Every condition is about the row itself: PostgreSQL checks only those again after a lock wait.
    const promoted = await db
      .update(turns)
      .set({ status: 'queued', hasNext: exists(others) })
      .where(and(eq(turns.id, turnId), isHeldIn(sessionId)))
      .returning({ id: turns.id });
    return promoted.length === 1 ? 'promoted' : 'gone';
  } catch (error) {
    // The active turn has the session's lock: its end promotes this turn.
    if (violatedConstraint(error) === 'turns_one_active_per_session') return 'busy';
    throw error;
  }
}
