import { rm } from 'node:fs/promises';
import { DiskContents } from '../../src/attachments/blobs/disk-contents.js';
import { PostgresContents } from '../../src/attachments/blobs/postgres-contents.js';
import { openTestDatabase } from '../support/database/database.js';
import { blobStoreConformance } from './blob-store.js';
import { newFolder } from '../support/suite.js';

blobStoreConformance('A disk with PGlite', async () => {
  const { db, close } = await openTestDatabase();
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

blobStoreConformance('PGlite', async () => {
  const { db, close } = await openTestDatabase();
  return { db, contents: new PostgresContents(db), isStoredInProcess: true, close };
});
