import { and, eq, gte } from 'drizzle-orm';
import type { Usage } from '../../storage/shapes/stored-step.js';
import { addUsage, noUsage } from '../../events/turn-event.js';
import type { Queryable } from '../../storage/connection.js';
import { compactions } from '../../storage/conversation-schema.js';
import type { Claim } from '../queue/turn-claims.js';

/** What earlier attempts at a turn spent on summaries of the conversation before it, and discarded. */
export async function findOverhead(
  db: Queryable,
  turn: Pick<Claim, 'sessionId' | 'attempt' | 'startedAt' | 'createdAt' | 'discardedUsage'>,
): Promise<Usage> {
  if (turn.attempt === 1) return noUsage;
  // A session has one turn at a time: what was made automatically since it began, it made.
  const made = await db
    .select({ usage: compactions.usage })
    .from(compactions)
    .where(
      and(
        eq(compactions.sessionId, turn.sessionId),
        eq(compactions.reason, 'automatic'),
        gte(compactions.createdAt, turn.startedAt ?? turn.createdAt),
      ),
    );
  return made.reduce((sum, { usage }) => addUsage(sum, usage), turn.discardedUsage ?? noUsage);
}
