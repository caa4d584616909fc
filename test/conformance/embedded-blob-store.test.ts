import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DiskContents } from '../../src/attachments/blobs/disk-contents.js';
import { PostgresContents } from '../../src/attachments/blobs/postgres-contents.js';
import { openTestDatabase } from '../support/database/database.js';
import { blobStoreConformance } from './blob-store.js';

blobStoreConformance('A disk with PGlite', async () => {
  const { db, close } = await openTestDatabase();
  const folder = await mkdtemp(path.join(tmpdir(), 'blobs-'));
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
