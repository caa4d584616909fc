import { sql, type SQL, and, inArray, isNull, or, eq } from 'drizzle-orm';
import { sessions, turns } from '../storage/schema.js';
import type { Database } from '../storage/connection.js';
import { sessionBlobs } from '../storage/file-schema.js';

/**
 * The rule of expiry: a session has been without use for as long as it is kept. A session without a term
 * never expires.
 */
export function isExpired(now: Date): SQL<boolean> {
  const term = sql`${sessions.expiresAfterMs} * interval '1 millisecond'`;
  return sql`(${sessions.expiresAfterMs} is not null and ${isUnused(now, term)})`;
}

/** Whether a session has been without use for some days. */
function isUnusedFor(days: number, now: Date): SQL<boolean> {
  return isUnused(now, sql`${`${days} days`}::interval`);
}

/**
 * Whether nothing was changed in a session for a term, no turn ended since, and none waits or runs, nor a replay
 * of one, which would go with the session.
 */
function isUnused(now: Date, term: SQL): SQL<boolean> {
  const at = sql`${now.toISOString()}::timestamptz`;
  const keepsIt = sql`
    select 1 from ${turns}
    where ${turns.sessionId} = ${sessions.id}
      and (${turns.status} in ('held', 'queued', 'running', 'waiting') or ${turns.endedAt} + ${term} > ${at})`;
  const isReplayed = sql`
    select 1 from turns recorded join sessions replay on replay.replay_of = recorded.id
      join turns own on own.session_id = replay.id
    where recorded.session_id = ${sessions.id} and own.status in ('held', 'queued', 'running', 'waiting')`;
  return sql`(${sessions.updatedAt} + ${term} <= ${at}
    and not exists (${keepsIt}) and not exists (${isReplayed}))`;
}

/** Sessions deleted in one statement: with each go all rows of its turns. */
const MAX_SESSIONS = 20;
/** Statements of a round. */
const MAX_BATCHES = 10;

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
  for (let batch = 0; batch < MAX_BATCHES; batch += 1) {
    const found = await expireSome(db, now, keepDays);
    deleted += found;
    if (found < MAX_SESSIONS) break;
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
      .limit(MAX_SESSIONS)
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

/** Uses of files ended in one statement. */
const MAX_USES = 500;

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
    .limit(MAX_USES);
  const released = await db
    .delete(sessionBlobs)
    .where(inArray(sql`${sessionBlobs}.ctid`, idle))
    .returning({ sha256: sessionBlobs.sha256 });
  return released.length;
}
