import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { OpenedDatabase } from '../../src/storage/connection.js';
import { openEmbeddedDatabase } from '../../src/storage/embedded-database.js';
import { giveDatabase } from './database-folder.js';

/** A migrated database of the embedded engine's, empty, removed when it is closed. */
export async function openTestDatabase(): Promise<OpenedDatabase> {
  const folder = await mkdtemp(path.join(tmpdir(), 'turnpike-database-'));
  const opened = await openEmbeddedDatabase(await giveDatabase(folder));
  return {
    ...opened,
    close: async () => {
      await opened.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
