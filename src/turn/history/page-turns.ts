import { and, asc, eq, isNull, sql } from 'drizzle-orm';
import type { Queryable } from '../../storage/connection.js';
import { turns } from '../../storage/schema.js';
import type { SupersededChoice } from './list-turns.js';

export interface PlacedTurn {
  id: string;
  /** A summary stands for it when the model is called. */
  isSummarised: boolean;
}

export interface TurnPage {
  /** The last turn of the page before; undefined: from the first. */
  after: string | undefined;
  limit: number;
  /** Default: hide. */
  superseded?: SupersededChoice;
  /** The last turn a summary stands for; undefined where there is none. */
  summarisedThrough: string | undefined;
}

/** Turns of one millisecond have an order too: two pages neither share a turn nor lose one. */
const sortKey = sql`(${turns.createdAt}, ${turns.id})`;
const sortKeyOf = (turnId: string) =>
  sql`(select one.created_at, one.id from ${turns} one where one.id = ${turnId})`;

/** The turns of a session that a page has, oldest first. Only their rows are loaded, no parts. */
export async function pageTurns(
  db: Queryable,
  sessionId: string,
  { after, limit, summarisedThrough, superseded = 'hide' }: TurnPage,
): Promise<PlacedTurn[]> {
  const isSummarised =
    summarisedThrough === undefined
      ? sql<boolean>`false`
      : sql<boolean>`coalesce(${sortKey} <= ${sortKeyOf(summarisedThrough)}, false)`;
  return db
    .select({ id: turns.id, isSummarised })
    .from(turns)
    .where(
      and(
        eq(turns.sessionId, sessionId),
        superseded === 'hide' ? isNull(turns.supersededBy) : undefined,
        after === undefined ? undefined : sql`${sortKey} > ${sortKeyOf(after)}`,
      ),
    )
    .orderBy(asc(turns.createdAt), asc(turns.id))
    .limit(limit);
}

export async function isTurnOf(db: Queryable, sessionId: string, turnId: string): Promise<boolean> {
  const found = await db
    .select({ id: turns.id })
    .from(turns)
    .where(and(eq(turns.sessionId, sessionId), eq(turns.id, turnId)));
  return found.length > 0;
}
