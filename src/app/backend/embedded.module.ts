import path from 'node:path';
import { Global, Module } from '@nestjs/common';
import { MemoryRequestCounter, REQUEST_COUNTER } from '../../governance/rates/request-rate.js';
import { BLOB_CONTENTS } from '../../attachments/blob-store.js';
import { openS3 } from '../../attachments/blobs/s3-contents.js';
import { DiskContents } from '../../attachments/blobs/disk-contents.js';
import { CONFIG, type Config } from '../../config/config.js';
import { EVENT_LOG } from '../../events/event-log.js';
import { MemoryEventLog } from '../../events/memory-event-log.js';
import { CLOCK, type Clock } from '../../platform/clock.js';
import { LOGGER, type Logger } from '../../platform/logger.js';
import { ResourceStack } from '../../platform/async/resource-stack.js';
import { DATABASE, OPENED_DATABASE, type OpenedDatabase } from '../../storage/connection.js';
import { openEmbeddedDatabase } from '../../storage/embedded-database.js';
import {
  openDataFolder,
  OPENED_FOLDER,
  type OpenFolder,
} from '../../storage/folder/open-folder.js';
import { MemorySignalBus, SIGNAL_BUS } from '../../turn/queue/signal-bus.js';
import { MemoryTurnQueue, TURN_QUEUE } from '../../turn/queue/turn-queue.js';
import { TurnClaims } from '../../turn/queue/turn-claims.js';
import { ports, PUBLISH_URL } from './ports.js';

const DATA_FOLDER = Symbol('DataFolder');

/**
 * Providers for a single process, with nothing to install. A start fails with DataFolderBusyError
 * while another process owns the folder.
 */
@Global()
@Module({
  providers: [
    {
      provide: DATA_FOLDER,
      inject: [CONFIG, ResourceStack, { token: OPENED_FOLDER, optional: true }],
      useFactory: ({ dataDir }: Config, resources: ResourceStack, opened?: OpenFolder) =>
        opened ?? resources.add(openDataFolder(dataDir), ({ release }) => release()),
    },
    {
      provide: OPENED_DATABASE,
      // The folder is locked first: the database allows one owner.
      inject: [CONFIG, ResourceStack, LOGGER, DATA_FOLDER],
      useFactory: async (
        config: Config,
        resources: ResourceStack,
        logger: Logger,
        { engine }: OpenFolder,
      ) => {
        const onError = (error: unknown) =>
          logger.warn(
            { error },
            'could not vacuum the embedded database; trying again in ten seconds',
          );
        const opening = openEmbeddedDatabase(engine, config.migrate, { onError });
        const database = await resources.add(opening, ({ close }) => close());
        // Leases in the database are a dead process's: this process is the only owner.
        await new TurnClaims(database.db, config).releaseAll();
        return database;
      },
    },
    { provide: DATABASE, inject: [OPENED_DATABASE], useFactory: ({ db }: OpenedDatabase) => db },
    {
      provide: EVENT_LOG,
      inject: [CLOCK, ResourceStack],
      useFactory: (clock: Clock, resources: ResourceStack) =>
        resources.add(Promise.resolve(new MemoryEventLog(clock)), (log) => log.close()),
    },
    {
      provide: SIGNAL_BUS,
      inject: [ResourceStack],
      useFactory: (resources: ResourceStack) =>
        resources.add(Promise.resolve(new MemorySignalBus()), (bus) => bus.close()),
    },
    {
      provide: TURN_QUEUE,
      inject: [LOGGER],
      useFactory: (logger: Logger) =>
        new MemoryTurnQueue((error) =>
          logger.warn(
            { error },
            'could not claim queued turns; the sweeper wakes the worker again',
          ),
        ),
    },
    { provide: REQUEST_COUNTER, useClass: MemoryRequestCounter },
    {
      provide: BLOB_CONTENTS,
      inject: [CONFIG, LOGGER],
      useFactory: async (config: Config, logger: Logger) =>
        (await openS3(config, logger)) ??
        new DiskContents(config.blobDir ?? path.join(config.dataDir, 'blobs')),
    },
    {
      provide: PUBLISH_URL,
      inject: [DATA_FOLDER],
      useFactory: ({ publish }: OpenFolder) => publish,
    },
  ],
  exports: ports,
})
export class EmbeddedModule {}
