import { eq, inArray, sql } from 'drizzle-orm';
import type { Database } from '../storage/connection.js';
import { sessionBlobs } from '../storage/file-schema.js';
import { sessions } from '../storage/schema.js';
import { isUnusedFor } from './session-expiry.js';

/** Uses of files ended in one statement. */
const MOST_AT_ONCE = 500;

/**
 * Ends the use of files by sessions that have been without use for some days; contents that nothing uses are
 * collected later. Messages still name the files, and a model is told that they are no longer stored.
 *
 * @param keepDays 0: files are kept as long as their sessions.
 * @returns how many uses were ended.
 */
export async function releaseFiles(db: Database, now: Date, keepDays: number): Promise<number> {
  if (keepDays === 0) return 0;
  const idle = db
    .select({ place: sql`${sessionBlobs}.ctid` })
    .from(sessionBlobs)
    .innerJoin(sessions, eq(sessions.id, sessionBlobs.sessionId))
    .where(isUnusedFor(keepDays, now))
    .limit(MOST_AT_ONCE);
  const released = await db
    .delete(sessionBlobs)
    .where(inArray(sql`${sessionBlobs}.ctid`, idle))
    .returning({ sha256: sessionBlobs.sha256 });
  return released.length;
}
