import type { Clock } from '../platform/clock.js';
import type { Logger } from '../platform/logger.js';
import type { Database } from '../storage/connection.js';
import type { BlobContents } from './blobs/blob-contents.js';
import { BlobStore } from './blobs/blob-store.js';
import { UploadStore } from './blobs/upload-store.js';
import type { Extractor } from './extract/extractor.js';
import { Extractions } from './extract/extractions.js';
import { FileMemory } from './show/file-memory.js';

export interface AttachmentDeps {
  db: Database;
  contents: BlobContents;
  extractor: Extractor;
  clock: Clock;
  logger: Logger;
  /** Bytes of files that running turns hold at a time. */
  memoryBytes: number;
  /** Folders that paths may lead into, beside a session's own. */
  roots: readonly string[];
}

/** What files are taken, kept and shown with. */
export interface AttachmentServices {
  store: BlobStore;
  uploads: UploadStore;
  extractor: Extractor;
  extractions: Extractions;
  memory: FileMemory;
  roots: readonly string[];
}

export function openAttachments(deps: AttachmentDeps): AttachmentServices {
  const { db, contents, extractor, clock, logger, memoryBytes, roots } = deps;
  const store = new BlobStore({ db, contents, clock });
  return {
    store,
    uploads: new UploadStore(db, clock),
    extractor,
    extractions: new Extractions({ db, store, extractor, clock, logger }),
    memory: new FileMemory(memoryBytes),
    roots,
  };
}
