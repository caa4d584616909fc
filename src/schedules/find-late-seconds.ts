import { and, isNull, sql } from 'drizzle-orm';
import type { Queryable } from '../storage/connection.js';
import { schedules } from '../storage/automation-schema.js';

/** Age of the oldest slot that is due and has no outcome, in seconds; 0 without one. */
export async function findLateSeconds(db: Queryable): Promise<number> {
  const { nextAt, pausedAt } = schedules;
  const [found] = await db
    .select({ seconds: sql`extract(epoch from now() - min(${nextAt}))`.mapWith(Number) })
    .from(schedules)
    .where(and(isNull(pausedAt), sql`${nextAt} <= now()`));
  return found?.seconds ?? 0;
}
