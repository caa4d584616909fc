import { desc, eq } from 'drizzle-orm';
import type { Queryable } from '../../storage/connection.js';
import { compactions } from '../../storage/schema.js';
import type { Compaction } from '../state/attempt.js';

/** The session's last compaction. */
export async function findCompaction(
  db: Queryable,
  sessionId: string,
): Promise<Compaction | undefined> {
  const { id, throughTurnId, summary, createdAt } = compactions;
  const [last] = await db
    .select({ id, throughTurnId, summary })
    .from(compactions)
    .where(eq(compactions.sessionId, sessionId))
    .orderBy(desc(createdAt), desc(id))
    .limit(1);
  return last;
}
