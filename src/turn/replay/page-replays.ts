import { and, desc, eq, isNull, sql } from 'drizzle-orm';
import { isId } from '../../platform/ids.js';
import type { Queryable } from '../../storage/connection.js';
import { sessions, turns } from '../../storage/schema.js';
import type { ReplayTools } from '../../storage/shapes/stored-turn.js';
import { isOlderThan, listedColumns } from '../history/list-turns.js';
import { viewListedTurn, type ListedTurnView } from '../history/view-listed-turn.js';

/** A replay in the list of a turn's. */
export interface ReplayView extends ListedTurnView {
  sessionId: string;
  tools: ReplayTools;
}

/**
 * Replays of a turn, the newest first.
 *
 * @param after the last one of the page before; undefined: from the newest.
 */
export async function pageReplays(
  db: Queryable,
  turnId: string,
  { after, limit }: { after: string | undefined; limit: number },
): Promise<ReplayView[]> {
  const { sessionId } = turns;
  const tools = sql<ReplayTools>`${turns.request} -> 'replay' ->> 'tools'`;
  const found = await db
    .select({ ...listedColumns, sessionId, tools })
    .from(sessions)
    .innerJoin(turns, eq(turns.sessionId, sessions.id))
    .where(and(eq(sessions.replayOf, turnId), isNull(turns.copiedFrom), isOlderThan(after)))
    .orderBy(desc(turns.createdAt), desc(turns.id))
    .limit(limit);
  return found.map((turn) => ({
    ...viewListedTurn(turn),
    sessionId: turn.sessionId,
    tools: turn.tools,
  }));
}

/** Whether a text is the id of a turn that is a replay of another. */
export async function isReplayOf(db: Queryable, turnId: string, given: string): Promise<boolean> {
  if (!isId('turn', given)) return false;
  const found = await db
    .select({ id: turns.id })
    .from(turns)
    .innerJoin(sessions, eq(sessions.id, turns.sessionId))
    .where(and(eq(turns.id, given), eq(sessions.replayOf, turnId)));
  return found.length > 0;
}
