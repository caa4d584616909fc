import { and, desc, eq, isNull, sql, type SQL } from 'drizzle-orm';
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

const { id, status, attempt, options, usage, endReason, createdAt, startedAt, endedAt } = turns;
const { replaces, supersededBy, copiedFrom } = turns;
const run = { id, status, attempt, options, usage, endReason, createdAt, startedAt, endedAt };
/** A turn without what was asked. */
export const listedColumns = { ...run, replaces, supersededBy, copiedFrom };

/** Whether a turn comes after another one in a list whose first is the newest; undefined: from the newest. */
export function isOlderThan(turnId: string | undefined): SQL | undefined {
  if (turnId === undefined) return undefined;
  return sql`(${turns.createdAt}, ${turns.id}) < (
    select one.created_at, one.id from ${turns} one where one.id = ${turnId})`;
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
  return db
    .select(listedColumns)
    .from(turns)
    .where(
      and(
        eq(turns.sessionId, sessionId),
        superseded === 'hide' ? isNull(turns.supersededBy) : undefined,
        isOlderThan(after),
      ),
    )
    .orderBy(desc(turns.createdAt), desc(turns.id))
    .limit(limit);
}

export type ListedTurn = Awaited<ReturnType<typeof listTurns>>[number];
