import { inArray, lt } from 'drizzle-orm';
import type { Queryable } from '../storage/connection.js';
import { scheduleRuns } from '../storage/schedule-schema.js';

const DAY_MS = 86_400_000;

/** Runs deleted at a time. */
const MOST_AT_ONCE = 5_000;

/** Deletes the records of old runs; their turns stay. @returns their number. */
export async function forgetRuns(db: Queryable, now: Date, keepDays: number): Promise<number> {
  const { id, createdAt } = scheduleRuns;
  const old = db
    .select({ id })
    .from(scheduleRuns)
    .where(lt(createdAt, new Date(now.getTime() - keepDays * DAY_MS)))
    .limit(MOST_AT_ONCE);
  const deleted = await db.delete(scheduleRuns).where(inArray(id, old)).returning({ id });
  return deleted.length;
}
