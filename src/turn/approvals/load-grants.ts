import { asc, eq } from 'drizzle-orm';
import type { Queryable } from '../../storage/connection.js';
import { sessionGrants } from '../../storage/governance-schema.js';

/** Rules that people have approved for the rest of a session. */
export async function loadGrants(db: Queryable, sessionId: string): Promise<string[]> {
  const rows = await db
    .select({ rule: sessionGrants.rule })
    .from(sessionGrants)
    .where(eq(sessionGrants.sessionId, sessionId))
    .orderBy(asc(sessionGrants.createdAt), asc(sessionGrants.rule));
  return rows.map(({ rule }) => rule);
}
