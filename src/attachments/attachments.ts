import { Inject, Injectable } from '@nestjs/common';
import { CONFIG, type Config } from '../config/config.js';
import { BlobStore } from './blob-store.js';
import { StoredFiles } from './stored-files.js';
import { Extractor } from './extract/extractor.js';
import { Extractions } from './extract/extractions.js';
import { FileMemory } from './file-memory.js';

/**
 * The services for files: stores, extraction, memory. Passed to the functions that check and show
 * files.
 */
@Injectable()
export class Attachments {
  /** Folders in which paths may lie, in addition to the session's project root. */
  readonly roots: readonly string[];

  constructor(
    readonly store: BlobStore,
    readonly stored: StoredFiles,
    readonly extractions: Extractions,
    readonly memory: FileMemory,
    readonly extractor: Extractor,
    @Inject(CONFIG) { attachmentRoots }: Pick<Config, 'attachmentRoots'>,
  ) {
    this.roots = attachmentRoots;
  }
}
