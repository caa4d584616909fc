import { and, desc, eq, sql } from 'drizzle-orm';
import type { Queryable } from '../../storage/connection.js';
import { turns } from '../../storage/schema.js';

/**
 * Turns of a session, the newest first, without what was asked: that may be large. The index
 * `turns_by_session`, read backwards, serves it.
 *
 * @param after the last turn of the page before; undefined: from the newest.
 */
export function listTurns(
  db: Queryable,
  sessionId: string,
  { after, limit }: { after: string | undefined; limit: number },
) {
  const { id, status, attempt, options, usage, endReason, createdAt, startedAt, endedAt } = turns;
  return db
    .select({ id, status, attempt, options, usage, endReason, createdAt, startedAt, endedAt })
    .from(turns)
    .where(
      and(
        eq(turns.sessionId, sessionId),
        after === undefined
          ? undefined
          : sql`(${turns.createdAt}, ${turns.id}) < (
              select one.created_at, one.id from ${turns} one where one.id = ${after})`,
      ),
    )
    .orderBy(desc(turns.createdAt), desc(turns.id))
    .limit(limit);
}

export type ListedTurn = Awaited<ReturnType<typeof listTurns>>[number];
