import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DiskContents } from '../../src/attachments/blobs/disk-contents.js';
import { openExtractor } from '../../src/attachments/extract/extractor.js';
import {
  openAttachments,
  type AttachmentServices,
} from '../../src/attachments/open-attachments.js';
import { systemClock } from '../../src/platform/clock.js';
import { silentLogger } from '../../src/platform/logger.js';
import { openTestDatabase } from './database.js';

export interface TestAttachments {
  attachments: AttachmentServices;
  close(): Promise<void>;
}

/** Everything files are taken, kept and shown with, for real. */
export async function openTestAttachments(): Promise<TestAttachments> {
  const database = await openTestDatabase();
  const folder = await mkdtemp(path.join(tmpdir(), 'blobs-'));
  const extractor = openExtractor();
  return {
    attachments: openAttachments({
      db: database.db,
      contents: new DiskContents(folder),
      extractor,
      clock: systemClock,
      logger: silentLogger,
      memoryBytes: 64 * 1024 * 1024,
      roots: [],
    }),
    close: async () => {
      await extractor.close();
      await database.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
