import { lt, sql } from 'drizzle-orm';
import type { Queryable } from '../storage/connection.js';
import { memoryFiles } from '../storage/memory-schema.js';

const DAY_MS = 86_400_000;

/** Files deleted at a time. */
const MOST_AT_ONCE = 5_000;

/** Deletes files that were not written for long. @param keepDays 0: none. @returns their number. */
export async function forgetMemory(db: Queryable, now: Date, keepDays: number): Promise<number> {
  if (keepDays === 0) return 0;
  const { principalId, agent, path, updatedAt } = memoryFiles;
  const before = new Date(now.getTime() - keepDays * DAY_MS);
  const old = db
    .select({ principalId, agent, path })
    .from(memoryFiles)
    .where(lt(updatedAt, before))
    .orderBy(updatedAt)
    .limit(MOST_AT_ONCE);
  const deleted = await db
    .delete(memoryFiles)
    .where(sql`(${principalId}, ${agent}, ${path}) in ${old} and ${lt(updatedAt, before)}`)
    .returning({ path });
  return deleted.length;
}
