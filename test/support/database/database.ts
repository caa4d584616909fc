import { rm } from 'node:fs/promises';
import type { OpenedDatabase } from '../../../src/storage/connection.js';
import { openEmbeddedDatabase } from '../../../src/storage/embedded-database.js';
import { newDataFolder } from './database-folder.js';

/** A migrated database of the embedded engine's, empty, removed when it is closed. */
export async function openTestDatabase(): Promise<OpenedDatabase> {
  const folder = await newDataFolder();
  const opened = await openEmbeddedDatabase(folder);
  return {
    ...opened,
    close: async () => {
      await opened.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
