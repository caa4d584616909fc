import { and, eq, not } from 'drizzle-orm';
import type { Database } from '../storage/connection.js';
import { sessions, turns } from '../storage/schema.js';
import { isExpired } from './session-expiry.js';

/** Marks the sessions that the agents API made. No mode of permissions: it means what `direct` means. */
export const AGENT_MODE = 'agent';

/** Whether an agent can go on in a session: it is its own, and has not expired. */
export async function isLiveSession(
  db: Database,
  { sessionId, agent, now }: { sessionId: string; agent: string; now: Date },
): Promise<boolean> {
  const found = await db
    .select({ id: sessions.id })
    .from(sessions)
    .where(
      and(
        eq(sessions.id, sessionId),
        eq(sessions.mode, AGENT_MODE),
        eq(sessions.persona, agent),
        not(isExpired(now)),
      ),
    );
  return found.length > 0;
}

/** Whether a session was made by the agents API, for whichever agent. */
export async function isAgentSession(db: Database, sessionId: string): Promise<boolean> {
  const found = await db
    .select({ id: sessions.id })
    .from(sessions)
    .where(and(eq(sessions.id, sessionId), eq(sessions.mode, AGENT_MODE)));
  return found.length > 0;
}

/** The session of an agent's turn; undefined when the agent has no such turn. */
export async function findTurnSession(
  db: Database,
  turnId: string,
  agent: string,
): Promise<string | undefined> {
  const [found] = await db
    .select({ sessionId: sessions.id })
    .from(turns)
    .innerJoin(sessions, eq(sessions.id, turns.sessionId))
    .where(and(eq(turns.id, turnId), eq(sessions.mode, AGENT_MODE), eq(sessions.persona, agent)));
  return found?.sessionId;
}
