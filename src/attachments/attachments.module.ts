import { Module } from '@nestjs/common';
import { CONFIG, type Config } from '../config/config.js';
import { CLOCK, type Clock } from '../platform/clock.js';
import { LOGGER, type Logger } from '../platform/logger.js';
import { ResourceStack } from '../platform/async/resource-stack.js';
import { Attachments } from './attachments.js';
import { BlobStore } from './blob-store.js';
import { StoredFiles } from './stored-files.js';
import { Extractor } from './extract/extractor.js';
import { Extractions } from './extract/extractions.js';
import { FileMemory } from './file-memory.js';
import { OutputFiles } from './output-files.js';
import { UploadController } from './upload/upload.controller.js';
import { UploadService } from './upload/upload-service.js';

/** Files: stored, checked, read in processes of their own, and shown to models. */
@Module({
  providers: [
    BlobStore,
    StoredFiles,
    Extractions,
    FileMemory,
    Attachments,
    OutputFiles,
    UploadService,
    {
      provide: Extractor,
      inject: [CONFIG, CLOCK, LOGGER, ResourceStack],
      useFactory: (config: Config, clock: Clock, logger: Logger, resources: ResourceStack) => {
        const extractor = new Extractor({
          concurrency: config.extractProcesses,
          clock,
          onProblem: (error) =>
            logger.warn(
              { error },
              'a process that reads files failed; the turn goes on without this file, and the next file starts a new process',
            ),
          onRefused: (why) =>
            logger.info({ ...why }, 'a file cannot be read; its turn goes on without its content'),
        });
        return resources.add(Promise.resolve(extractor), (reader) => reader.close());
      },
    },
  ],
  exports: [Attachments, BlobStore, OutputFiles, UploadService],
})
export class AttachmentsModule {}

/** The route that takes files for later turns. */
@Module({ imports: [AttachmentsModule], controllers: [UploadController] })
export class AttachmentsApiModule {}
