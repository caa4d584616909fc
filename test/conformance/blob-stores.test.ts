import { DiskContents } from '../../src/attachments/blobs/disk-contents.js';
import { PostgresContents } from '../../src/attachments/blobs/postgres-contents.js';
import { bothDatabases } from '../support/database/both-databases.js';
import { newFolder } from '../support/suite.js';
import { blobStoreConformance } from './blob-store.js';

for (const [name, open] of bothDatabases) {
  blobStoreConformance(`A disk with ${name}`, async () => {
    const { db, close } = await open();
    return { db, contents: new DiskContents(newFolder()), isStoredInProcess: false, close };
  });

  blobStoreConformance(name, async () => {
    const { db, copyOut, close } = await open();
    const contents = new PostgresContents(db, copyOut);
    return { db, contents, isStoredInProcess: copyOut === undefined, close };
  });
}
