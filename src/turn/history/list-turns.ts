import { and, desc, eq, isNull, sql } from 'drizzle-orm';
import type { Queryable } from '../../storage/connection.js';
import { turns } from '../../storage/schema.js';

/** Whether a list has turns that others took the place of. */
export const supersededChoices = ['hide', 'show'] as const;
export type SupersededChoice = (typeof supersededChoices)[number];

export interface TurnListPage {
  after: string | undefined;
  limit: number;
  /** Default: hide. */
  superseded?: SupersededChoice;
}

/**
 * Turns of a session, the newest first, without what was asked: that may be large. The index
 * `turns_by_session`, read backwards, serves it.
 *
 * @param after the last turn of the page before; undefined: from the newest.
 */
export function listTurns(
  db: Queryable,
  sessionId: string,
  { after, limit, superseded = 'hide' }: TurnListPage,
) {
  const { id, status, attempt, options, usage, endReason, createdAt, startedAt, endedAt } = turns;
  const { replaces, supersededBy, copiedFrom } = turns;
  const place = { replaces, supersededBy, copiedFrom };
  return db
    .select({
      id,
      status,
      attempt,
      options,
      usage,
      endReason,
      createdAt,
      startedAt,
      endedAt,
      ...place,
    })
    .from(turns)
    .where(
      and(
        eq(turns.sessionId, sessionId),
        superseded === 'hide' ? isNull(supersededBy) : undefined,
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
