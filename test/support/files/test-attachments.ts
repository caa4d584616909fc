import { rm } from 'node:fs/promises';
import { Attachments } from '../../../src/attachments/attachments.js';
import { BlobStore } from '../../../src/attachments/blob-store.js';
import { DiskContents } from '../../../src/attachments/blobs/disk-contents.js';
import { StoredFiles } from '../../../src/attachments/stored-files.js';
import { Extractions } from '../../../src/attachments/extract/extractions.js';
import { Extractor } from '../../../src/attachments/extract/extractor.js';
import { FileMemory } from '../../../src/attachments/file-memory.js';
import { systemClock, type Clock } from '../../../src/platform/clock.js';
import { silentLogger } from '../silent-logger.js';
import type { Database } from '../../../src/storage/connection.js';
import { openTestDatabase } from '../database/database.js';
import { newFolder } from '../suite.js';

export interface TestAttachments {
  attachments: Attachments;
  close(): Promise<void>;
}

/** Attachments over a folder and real extractors. */
export function attachmentsIn(
  folder: string,
  { db, clock, extractor }: { db: Database; clock: Clock; extractor: Extractor },
): Attachments {
  const store = new BlobStore(db, new DiskContents(folder), clock);
  return new Attachments(
    store,
    new StoredFiles(db, clock),
    new Extractions(db, clock, silentLogger, store, extractor),
    new FileMemory({ attachmentMemoryMb: 64 }),
    extractor,
    { attachmentRoots: [] },
  );
}

/** Attachments with a database and a folder of their own. */
export async function openTestAttachments(): Promise<TestAttachments> {
  const database = await openTestDatabase();
  const folder = newFolder();
  const extractor = new Extractor();
  return {
    attachments: attachmentsIn(folder, { db: database.db, clock: systemClock, extractor }),
    close: async () => {
      await extractor.close();
      await database.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
