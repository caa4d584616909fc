import { and, eq, isNotNull, ne } from 'drizzle-orm';
import { turns } from '../storage/schema.js';
import { compactions } from '../storage/conversation-schema.js';
import type { Claim } from './turn-claims.js';
import type { TurnServices } from './turn-services.js';
import { tokensOf } from './turn-state.js';

/** Tokens a session may still use, this turn's own included; at least 1, so that it is a budget. */
export async function findTokensLeft(
  { db, settings }: Pick<TurnServices, 'db'> & { settings: { sessionTokens: number } },
  { id, sessionId, hasHistory }: Pick<Claim, 'id' | 'sessionId' | 'hasHistory'>,
): Promise<number> {
  if (settings.sessionTokens === 0) return Infinity;
  if (!hasHistory) return settings.sessionTokens;
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
  const used = [...others, ...summaries].reduce(
    (sum, { usage }) => sum + (usage === null ? 0 : tokensOf(usage)),
    0,
  );
  return Math.max(1, settings.sessionTokens - used);
}
