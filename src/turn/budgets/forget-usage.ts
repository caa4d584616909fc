import { inArray, lt, sql } from 'drizzle-orm';
import type { Database } from '../../storage/connection.js';
import { usageDays } from '../../storage/governance-schema.js';

/** Rows deleted in one statement. */
const MOST_AT_ONCE = 5_000;

const DAY_MS = 86_400_000;

/** Deletes the usage of days long past. @param keepDays 0: none. @returns the number of deleted rows. */
export async function forgetUsage(db: Database, now: Date, keepDays: number): Promise<number> {
  if (keepDays === 0) return 0;
  const first = new Date(now.getTime() - keepDays * DAY_MS).toISOString().slice(0, 10);
  const old = db
    .select({ place: sql`ctid` })
    .from(usageDays)
    .where(lt(usageDays.day, first))
    .limit(MOST_AT_ONCE);
  const deleted = await db
    .delete(usageDays)
    .where(inArray(sql`ctid`, old))
    .returning({ day: usageDays.day });
  return deleted.length;
}
