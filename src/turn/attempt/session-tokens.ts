import { and, eq, isNotNull, isNull, ne } from 'drizzle-orm';
import type { AgentState } from '../../governance/decision-tree/agent-state.js';
import type { Queryable } from '../../storage/connection.js';
import { compactions, turns } from '../../storage/schema.js';
import type { Claim } from '../state/attempt.js';
import { tokensOf } from '../../governance/limits/cost.js';

/**
 * The tokens that a session's other turns were paid for, and their limit.
 *
 * @param limitTokens 0: no limit.
 * @returns undefined where there is no limit.
 */
export async function findSessionTokens(
  db: Queryable,
  { id, sessionId, hasHistory }: Pick<Claim, 'id' | 'sessionId' | 'hasHistory'>,
  limitTokens: number,
): Promise<AgentState['session']> {
  if (limitTokens === 0) return undefined;
  if (!hasHistory) return { usedTokens: 0, limitTokens };
  const [others, summaries] = await Promise.all([
    db
      .select({ usage: turns.usage })
      .from(turns)
      .where(
        and(
          eq(turns.sessionId, sessionId),
          ne(turns.id, id),
          isNotNull(turns.usage),
          // The conversation is what counts; a day's budget has what was paid.
          isNull(turns.supersededBy),
        ),
      ),
    // The usage of a turn includes its automatic summaries.
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
