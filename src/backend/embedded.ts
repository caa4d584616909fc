import path from 'node:path';
import { MemoryRequestCounter } from '../access/rate/memory-request-counter.js';
import { DiskContents } from '../attachments/blobs/disk-contents.js';
import type { BackEnd, BackEndOptions } from './back-end.js';
import { MemoryEventLog } from '../events/memory-event-log.js';
import { ResourceStack } from '../platform/resource-stack.js';
import { holdDataFolder } from '../storage/data-folder.js';
import { openEmbeddedDatabase } from '../storage/embedded-database.js';
import { MemorySignalBus } from '../turn/queue/memory-signal-bus.js';
import { MemoryTurnQueue } from '../turn/queue/memory-turn-queue.js';
import { TurnClaims } from '../turn/queue/turn-claims.js';

/**
 * Everything in this process, nothing to install.
 *
 * @throws DataFolderBusyError when another process has the data folder.
 */
export async function openEmbedded(options: BackEndOptions): Promise<BackEnd> {
  const { config, clock, logger } = options;
  const opened = new ResourceStack();
  const { folder, database } = await opened.orClose(async () => {
    const held = await opened.add(holdDataFolder(config.dataDir), ({ release }) => release());
    const embedded = openEmbeddedDatabase(config.dataDir);
    return { folder: held, database: await opened.add(embedded, ({ close }) => close()) };
  });
  // Nobody else has this database: whoever held a lease in it is gone.
  await new TurnClaims(database.db, config.leaseMs).releaseAll();
  const log = new MemoryEventLog(clock);
  const bus = new MemorySignalBus();
  const queue = new MemoryTurnQueue({
    concurrency: config.workerConcurrency,
    onError: (turnId, error) => logger.error({ turnId, error }, 'a turn could not be worked on'),
  });
  return {
    database,
    log,
    queue,
    bus,
    requests: new MemoryRequestCounter(),
    blobContents: new DiskContents(config.blobDir ?? path.join(config.dataDir, 'blobs')),
    publish: folder.publish,
    close: async () => {
      await bus.close();
      await log.close();
      await opened.close();
    },
  };
}
