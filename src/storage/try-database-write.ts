import { sql } from 'drizzle-orm';
import type { Database } from './connection.js';

/**
 * Tries a write that leaves nothing: an update of no row, which a database that is read-only refuses; and rows that are
 * too many for the memory of a statement, which go to a temporary file, for which a full disk has no room. The file is
 * gone with the statement, and no table grows.
 *
 * @throws what the database says where it takes no writes, or does not answer.
 */
export async function tryDatabaseWrite(db: Pick<Database, 'transaction'>): Promise<void> {
  await db.transaction(async (tx) => {
    await tx.execute(sql`set local work_mem = '64kB'`);
    await tx.execute(sql`update sessions set id = id where false`);
    await tx.execute(sql`
      with spilled as materialized (select repeat('a', 1000) from generate_series(1, 512))
      select count(*) from spilled`);
  });
}
