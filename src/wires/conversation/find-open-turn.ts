import { and, asc, eq, inArray, sql } from 'drizzle-orm';
import type { Database } from '../../storage/connection.js';
import { turns } from '../../storage/schema.js';
import { activeStatuses, unendedStatuses } from '../../storage/shapes/stored-turn.js';
import type { TurnRow } from '../../turn/state/turn-lookup.js';

/**
 * The turn that a returning client follows: the session's active turn, or else the next held one.
 */
export async function findOpenTurn(db: Database, sessionId: string): Promise<TurnRow | undefined> {
  const isActive = inArray(turns.status, [...activeStatuses]);
  const [turn] = await db
    .select()
    .from(turns)
    .where(and(eq(turns.sessionId, sessionId), inArray(turns.status, [...unendedStatuses])))
    .orderBy(sql`${isActive} desc`, asc(turns.createdAt), asc(turns.id))
    .limit(1);
  return turn;
}
