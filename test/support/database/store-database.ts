import type { Database } from '../../../src/storage/connection.js';
import { openEmbeddedDatabase } from '../../../src/storage/embedded-database.js';
import { openPostgres } from '../../../src/storage/postgres-database.js';
import type { TestStore } from './test-store.js';

/**
 * Opens a store's database while no server has it: the embedded engine takes one process at a time.
 */
export async function inDatabaseOf<T>(
  { environment }: TestStore,
  work: (db: Database) => Promise<T>,
): Promise<T> {
  const { DATABASE_URL: url, TURNPIKE_DATA_DIR: dataDir = '' } = environment;
  const { db, close } =
    url === undefined
      ? await openEmbeddedDatabase(dataDir)
      : await openPostgres({ url, connections: 1, onError: () => undefined });
  try {
    return await work(db);
  } finally {
    await close();
  }
}
