import { sql, type SQL } from 'drizzle-orm';
import { sessions, turns } from '../storage/schema.js';

/**
 * The rule of expiry: a session has been without use for as long as it is kept. A session without a term
 * never expires.
 */
export function isExpired(now: Date): SQL<boolean> {
  const term = sql`${sessions.expiresAfterMs} * interval '1 millisecond'`;
  return sql`(${sessions.expiresAfterMs} is not null and ${isUnused(now, term)})`;
}

/** Whether a session has been without use for some days. */
export function isUnusedFor(days: number, now: Date): SQL<boolean> {
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
