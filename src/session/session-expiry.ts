import { sql, type SQL } from 'drizzle-orm';
import { sessions, turns } from '../storage/schema.js';

/**
 * The rule of expiry: a session has been without use for as long as it is kept: nothing was changed,
 * no turn ended since, and none waits or runs. A session without a term never expires.
 */
export function isExpired(now: Date): SQL<boolean> {
  const term = sql`${sessions.expiresAfterMs} * interval '1 millisecond'`;
  const at = sql`${now.toISOString()}::timestamptz`;
  const keepsIt = sql`
    select 1 from ${turns}
    where ${turns.sessionId} = ${sessions.id}
      and (${turns.status} in ('held', 'queued', 'running', 'waiting') or ${turns.endedAt} + ${term} > ${at})`;
  return sql`(
    ${sessions.expiresAfterMs} is not null
    and ${sessions.updatedAt} + ${term} <= ${at}
    and not exists (${keepsIt}))`;
}
