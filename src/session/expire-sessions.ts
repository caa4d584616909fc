import { and, inArray } from 'drizzle-orm';
import type { Database } from '../storage/connection.js';
import { sessions } from '../storage/schema.js';
import { isExpired } from './session-expiry.js';

/** Sessions deleted at a time. */
const MOST_AT_ONCE = 200;

/**
 * Deletes sessions that have been without use for as long as they are kept, never one with a turn
 * that waits or runs. Any number of processes may do so beside each other.
 *
 * One statement would not do: a turn that is accepted between its look and its lock would go with
 * its session. So the rows are locked first, which keeps new turns out, and checked again.
 *
 * @returns how many were deleted.
 */
export async function expireSessions(db: Database, now: Date): Promise<number> {
  return db.transaction(async (tx) => {
    const idle = await tx
      .select({ id: sessions.id })
      .from(sessions)
      .where(isExpired(now))
      .limit(MOST_AT_ONCE)
      .for('update', { skipLocked: true });
    if (idle.length === 0) return 0;
    const ids = idle.map(({ id }) => id);
    const deleted = await tx
      .delete(sessions)
      .where(and(inArray(sessions.id, ids), isExpired(now)))
      .returning({ id: sessions.id });
    return deleted.length;
  });
}
