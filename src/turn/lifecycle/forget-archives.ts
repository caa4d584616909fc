import { sql } from 'drizzle-orm';
import type { Database } from '../../storage/connection.js';
import { turnArchives } from '../../storage/transcript-schema.js';
import { turns } from '../../storage/schema.js';

/** Turns whose events are deleted in one statement. */
const MOST_AT_ONCE = 500;

/**
 * Deletes the events of turns that ended more than `keepDays` days ago; 0 keeps them for as long as
 * their session. Messages and steps stay.
 */
export async function forgetArchives(db: Database, keepDays: number): Promise<void> {
  if (keepDays === 0) return;
  await db.execute(sql`
    delete from ${turnArchives} where ${turnArchives.turnId} in (
      select ${turns.id} from ${turns}
      where ${turns.endedAt} < now() - ${`${keepDays} days`}::interval
        and exists (select 1 from ${turnArchives} a where a.turn_id = ${turns.id})
      limit ${MOST_AT_ONCE})`);
}
