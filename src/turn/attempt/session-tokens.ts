import { and, eq, isNotNull, ne } from 'drizzle-orm';
import type { AgentState } from '../../governance/decision-tree/agent-state.js';
import { turns } from '../../storage/schema.js';
import { compactions } from '../../storage/conversation-schema.js';
import type { Claim } from '../queue/turn-claims.js';
import type { TurnServices } from '../state/turn-services.js';
import { tokensOf } from '../state/turn-state.js';

/**
 * What a session's other turns were paid for, and its limit.
 *
 * @returns undefined where there is none.
 */
export async function findSessionTokens(
  { db, settings }: Pick<TurnServices, 'db'> & { settings: { sessionTokens: number } },
  { id, sessionId, hasHistory }: Pick<Claim, 'id' | 'sessionId' | 'hasHistory'>,
): Promise<AgentState['session']> {
  const limitTokens = settings.sessionTokens;
  if (limitTokens === 0) return undefined;
  if (!hasHistory) return { usedTokens: 0, limitTokens };
  const [others, summaries] = await Promise.all([
    db
      .select({ usage: turns.usage })
      .from(turns)
      .where(and(eq(turns.sessionId, sessionId), ne(turns.id, id), isNotNull(turns.usage))),
    // An automatic one is in the usage of the turn that made it.
    db
      .select({ usage: compactions.usage })
      .from(compactions)
      .where(and(eq(compactions.sessionId, sessionId), eq(compactions.reason, 'requested'))),
  ]);
  const usedTokens = [...others, ...summaries].reduce(
    (sum, { usage }) => sum + (usage === null ? 0 : tokensOf(usage)),
    0,
  );
  return { usedTokens, limitTokens };
}
