import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';

const built = fileURLToPath(new URL('../../dist/storage/empty-database.tar.gz', import.meta.url));

/**
 * An empty, migrated database: making one takes seconds, loading this one. `npm run build` makes
 * it, and `npm test` builds first.
 */
export async function emptyDatabaseImage(): Promise<Blob> {
  return new Blob([await readFile(built)]);
}
