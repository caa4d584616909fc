import type { OpenedDatabase } from '../../src/storage/connection.js';
import { openEmbeddedDatabase } from '../../src/storage/embedded-database.js';
import { emptyDatabaseImage } from './database-image.js';

/** A migrated database in memory, empty. */
export async function openTestDatabase(): Promise<OpenedDatabase> {
  return openEmbeddedDatabase(undefined, await emptyDatabaseImage());
}
