import { and, eq, isNull, not } from 'drizzle-orm';
import { namesLike } from '../../agents/persona-name.js';
import { isExpired } from '../../session/session-expiry.js';
import type { Database } from '../../storage/connection.js';
import { sessions, turns } from '../../storage/schema.js';

/** Sessions of this wire, without those of their subagents. */
const isChat = and(eq(sessions.origin, 'named-agents'), isNull(sessions.parentTurnId));

/**
 * Whether an agent can go on in a session: the session is the agent's and the caller's, and has not
 * expired.
 */
export async function isLiveSession(
  db: Database,
  asked: { sessionId: string; agent: string; principalId: string; now: Date },
): Promise<boolean> {
  const { sessionId, agent, principalId, now } = asked;
  const found = await db
    .select({ id: sessions.id })
    .from(sessions)
    .where(
      and(
        eq(sessions.id, sessionId),
        isChat,
        eq(sessions.persona, agent),
        eq(sessions.principalId, principalId),
        not(isExpired(now)),
      ),
    );
  return found.length > 0;
}

/** Whether a session was made by the agents API for a principal, whatever its agent. */
export async function isAgentSession(
  db: Database,
  sessionId: string,
  principalId: string,
): Promise<boolean> {
  const found = await db
    .select({ id: sessions.id })
    .from(sessions)
    .where(and(eq(sessions.id, sessionId), isChat, eq(sessions.principalId, principalId)));
  return found.length > 0;
}

/**
 * The session of an agent's turn; undefined when the agent has no such turn for the principal.
 *
 * @param agent as a client spells it; there need not be one any more.
 */
export async function findTurnSession(
  db: Database,
  { turnId, agent, principalId }: { turnId: string; agent: string; principalId: string },
): Promise<string | undefined> {
  const [found] = await db
    .select({ sessionId: sessions.id, persona: sessions.persona })
    .from(turns)
    .innerJoin(sessions, eq(sessions.id, turns.sessionId))
    .where(and(eq(turns.id, turnId), isChat, eq(sessions.principalId, principalId)));
  if (found === undefined || namesLike(agent, [found.persona]).length === 0) return undefined;
  return found.sessionId;
}
