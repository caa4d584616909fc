import { and, inArray, isNull, or } from 'drizzle-orm';
import type { Database } from '../storage/connection.js';
import { sessions } from '../storage/schema.js';
import { isExpired, isUnusedFor } from './session-expiry.js';

/** Sessions deleted in one statement: with each go all rows of its turns. */
const MOST_AT_ONCE = 20;
/** Statements of a round. */
const MOST_BATCHES = 10;

/**
 * Deletes sessions that have been without use for as long as they are kept, never one with a turn
 * that waits or runs. Any number of processes may do so beside each other.
 *
 * One statement would not do: a turn that is accepted between its look and its lock would go with
 * its session. So the rows are locked first, which keeps new turns out, and checked again.
 *
 * @param keepDays days without use after which any session is deleted; 0: none but those with a term.
 * @returns how many were deleted.
 */
export async function expireSessions(db: Database, now: Date, keepDays = 0): Promise<number> {
  let deleted = 0;
  for (let batch = 0; batch < MOST_BATCHES; batch += 1) {
    const found = await expireSome(db, now, keepDays);
    deleted += found;
    if (found < MOST_AT_ONCE) break;
  }
  return deleted;
}

async function expireSome(db: Database, now: Date, keepDays: number): Promise<number> {
  // The session of a subagent goes with that of its parent.
  const isKeptTooLong =
    keepDays === 0 ? undefined : and(isNull(sessions.parentTurnId), isUnusedFor(keepDays, now));
  const isDue = or(isExpired(now), isKeptTooLong);
  return db.transaction(async (tx) => {
    const idle = await tx
      .select({ id: sessions.id })
      .from(sessions)
      .where(isDue)
      .limit(MOST_AT_ONCE)
      .for('update', { skipLocked: true });
    if (idle.length === 0) return 0;
    const ids = idle.map(({ id }) => id);
    const deleted = await tx
      .delete(sessions)
      .where(and(inArray(sessions.id, ids), isDue))
      .returning({ id: sessions.id });
    return deleted.length;
  });
}
