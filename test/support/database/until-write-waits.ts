import { expect } from '@jest/globals';
import { sql } from 'drizzle-orm';
import type { Database } from '../../../src/storage/connection.js';
import { expectSoon } from '../expect-soon.js';

/**
 * Waits until a statement waits for a locked table that puts something into it. The sweeper's updates and the
 * housekeeper's deletions may wait, too, at any time. A long statement is seen by its beginning alone.
 */
export async function untilWriteWaits(db: Database, table: string): Promise<void> {
  await expectSoon(async () => {
    const { rows } = await db.execute(sql`
      select 1 from pg_locks held join pg_stat_activity waiting on waiting.pid = held.pid
      where not held.granted and held.relation = ${table}::regclass
        and waiting.query !~* '^[[:space:]]*(update|delete)'`);
    expect(rows.length).toBeGreaterThan(0);
  });
}
