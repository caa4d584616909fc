import { Module, type DynamicModule } from '@nestjs/common';
import { RedisRequestCounter, REQUEST_COUNTER } from '../../governance/rates/request-rate.js';
import { BLOB_CONTENTS } from '../../attachments/blob-store.js';
import { openS3 } from '../../attachments/blobs/s3-contents.js';
import { DiskContents } from '../../attachments/blobs/disk-contents.js';
import { PostgresContents } from '../../attachments/blobs/postgres-contents.js';
import { CONFIG, type Config } from '../../config/config.js';
import { EVENT_LOG, LOG_KEPT_MS } from '../../events/event-log.js';
import { RedisEventLog } from '../../events/redis-event-log.js';
import { LOGGER, type Logger } from '../../platform/logger.js';
import { ResourceStack } from '../../platform/async/resource-stack.js';
import { DATABASE, OPENED_DATABASE, type OpenedDatabase } from '../../storage/connection.js';
import { openPostgres } from '../../storage/postgres-database.js';
import { REDIS, type RedisClient, RedisSubscriber } from '../../storage/redis/redis-connection.js';
import { BullQueueModule, BullTurnQueue } from '../../turn/queue/bull-turn-queue.js';
import { RedisSignalBus, SIGNAL_BUS } from '../../turn/queue/signal-bus.js';
import { TURN_QUEUE } from '../../turn/queue/turn-queue.js';
import { ports, PUBLISH_URL } from './ports.js';
import { RedisModule } from './redis.module.js';

/** Milliseconds that a turn's log outlives the longest turn without an append. */
const LOG_MARGIN_MS = 600_000;

/** Most bytes of a turn's live log; older events come from the archive. */
const LOG_BYTES_PER_TURN = 33_554_432;

function openDatabase(
  {
    databaseUrl: url,
    databaseConnections: connections,
    migrate,
    preparedStatements,
  }: Config & { databaseUrl: string },
  logger: Logger,
): Promise<OpenedDatabase> {
  const onError = (error: unknown): void =>
    logger.warn(
      { service: 'PostgreSQL', error },
      'an idle connection to PostgreSQL broke; the pool opens a new one',
    );
  return openPostgres({ url, connections, migrate, preparedStatements, onError });
}

/**
 * Providers for many processes over Redis and PostgreSQL. A start fails with UnreachableError where
 * one does not answer, and with SchemaError where the database is not of this version.
 */
@Module({})
export class DistributedModule {
  static register(config: Config & { databaseUrl: string }): DynamicModule {
    const { redisPrefix: prefix } = config;
    return {
      module: DistributedModule,
      global: true,
      imports: [RedisModule, BullQueueModule.register(RedisModule, config)],
      providers: [
        {
          provide: OPENED_DATABASE,
          inject: [LOGGER, ResourceStack],
          useFactory: (logger: Logger, resources: ResourceStack) =>
            resources.add(openDatabase(config, logger), ({ close }) => close()),
        },
        {
          provide: DATABASE,
          inject: [OPENED_DATABASE],
          useFactory: ({ db }: OpenedDatabase) => db,
        },
        {
          provide: EVENT_LOG,
          inject: [REDIS, RedisSubscriber],
          useFactory: (redis: RedisClient, subscriber: RedisSubscriber) => {
            const ttlMs = config.turnTimeoutMs + LOG_MARGIN_MS;
            const bounds = { ttlMs, maxBytes: LOG_BYTES_PER_TURN, keptMs: LOG_KEPT_MS };
            return new RedisEventLog({ redis, subscriber, prefix, ...bounds });
          },
        },
        {
          provide: SIGNAL_BUS,
          inject: [REDIS, RedisSubscriber, ResourceStack],
          useFactory: (
            redis: RedisClient,
            subscriber: RedisSubscriber,
            resources: ResourceStack,
          ) => {
            const bus = new RedisSignalBus({ redis, subscriber, prefix });
            return resources.add(Promise.resolve(bus), (opened) => opened.close());
          },
        },
        { provide: TURN_QUEUE, useExisting: BullTurnQueue },
        {
          provide: REQUEST_COUNTER,
          inject: [REDIS],
          useFactory: (redis: RedisClient) => new RedisRequestCounter(redis, prefix),
        },
        {
          provide: BLOB_CONTENTS,
          inject: [CONFIG, OPENED_DATABASE, LOGGER],
          useFactory: async (config: Config, { db, copyOut }: OpenedDatabase, logger: Logger) => {
            const { blobDir } = config;
            if (blobDir !== undefined) return new DiskContents(blobDir);
            return (await openS3(config, logger)) ?? new PostgresContents(db, copyOut);
          },
        },
        { provide: PUBLISH_URL, useValue: async () => undefined },
      ],
      exports: ports,
    };
  }
}
