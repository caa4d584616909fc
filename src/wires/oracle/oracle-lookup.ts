import { and, desc, eq, inArray, isNull } from 'drizzle-orm';
import { isId } from '../../platform/ids.js';
import type { Database } from '../../storage/connection.js';
import { compactions } from '../../storage/conversation-schema.js';
import { sessions, turns } from '../../storage/schema.js';
import { activeStatuses } from '../../storage/shapes/stored-turn.js';

/** Conversations of this wire, without the sessions of their subagents. */
const isContext = and(eq(sessions.origin, 'oracle'), isNull(sessions.parentTurnId));

/** The session of a principal's newest conversation. */
export async function findNewestContext(
  db: Database,
  principalId: string,
): Promise<string | undefined> {
  const [newest] = await db
    .select({ id: sessions.id })
    .from(sessions)
    .where(and(isContext, eq(sessions.principalId, principalId)))
    .orderBy(desc(sessions.createdAt), desc(sessions.id))
    .limit(1);
  return newest?.id;
}

/** The session of the principal's running turn that began last. */
export async function findRunningContext(
  db: Database,
  { contextId, principalId }: { contextId: string | undefined; principalId: string },
): Promise<string | undefined> {
  const wanted = contextId === undefined ? isContext : eq(sessions.id, contextId);
  const [running] = await db
    .select({ id: turns.sessionId })
    .from(turns)
    .innerJoin(sessions, eq(sessions.id, turns.sessionId))
    .where(
      and(
        inArray(turns.status, [...activeStatuses]),
        wanted,
        eq(sessions.principalId, principalId),
      ),
    )
    .orderBy(desc(turns.createdAt), desc(turns.id))
    .limit(1);
  return running?.id;
}

/** Whether a session is a principal's. Text that is no session's id is the id of none. */
export async function isOwnContext(
  db: Database,
  sessionId: string,
  principalId: string,
): Promise<boolean> {
  if (!isId('sess', sessionId)) return false;
  const found = await db
    .select({ id: sessions.id })
    .from(sessions)
    .where(and(eq(sessions.id, sessionId), eq(sessions.principalId, principalId)));
  return found.length > 0;
}

/** Whether a summary stands for a part of the conversation. */
export async function isCompressed(db: Database, sessionId: string): Promise<boolean> {
  const found = await db
    .select({ id: compactions.id })
    .from(compactions)
    .where(eq(compactions.sessionId, sessionId))
    .limit(1);
  return found.length > 0;
}
