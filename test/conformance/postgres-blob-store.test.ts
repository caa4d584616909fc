import { rm } from 'node:fs/promises';
import { DiskContents } from '../../src/attachments/blobs/disk-contents.js';
import { PostgresContents } from '../../src/attachments/blobs/postgres-contents.js';
import type { OpenedDatabase } from '../../src/storage/connection.js';
import { openPostgres } from '../../src/storage/postgres-database.js';
import { newDatabase } from '../support/database/new-database.js';
import { blobStoreConformance } from './blob-store.js';
import { newFolder } from '../support/suite.js';

async function openNewDatabase(): Promise<OpenedDatabase> {
  const { url, drop } = await newDatabase();
  const opened = await openPostgres({
    url,
    connections: 6,
    // An error of a connection in use reaches its statement; an idle one breaks with its database.
    onError: () => undefined,
  });
  const close = async (): Promise<void> => {
    await opened.close();
    await drop();
  };
  return { ...opened, close };
}

blobStoreConformance('A disk with PostgreSQL', async () => {
  const { db, close } = await openNewDatabase();
  const folder = newFolder();
  return {
    db,
    contents: new DiskContents(folder),
    isStoredInProcess: false,
    close: async () => {
      await close();
      await rm(folder, { recursive: true });
    },
  };
});

blobStoreConformance('PostgreSQL', async () => {
  const { db, copyOut, close } = await openNewDatabase();
  return { db, contents: new PostgresContents(db, copyOut), isStoredInProcess: false, close };
});
