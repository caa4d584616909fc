import { RedisBoardSessions } from '../access/board/redis-board-sessions.js';
import { RedisRequestCounter } from '../access/rate/redis-request-counter.js';
import { DiskContents } from '../attachments/blobs/disk-contents.js';
import { PostgresContents } from '../attachments/blobs/postgres-contents.js';
import type { BackEnd, BackEndOptions } from './back-end.js';
import { RedisEventLog } from '../events/redis-event-log.js';
import { ResourceStack } from '../platform/resource-stack.js';
import { runsTurns } from '../config/role.js';
import { openPostgres } from '../storage/postgres-database.js';
import { closeRedis, connectRedis } from '../storage/redis-connection.js';
import { RedisSubscriber } from '../storage/redis-subscriber.js';
import { UnreachableError } from '../http/unreachable-error.js';
import { BullTurnQueue } from '../turn/queue/bull-turn-queue.js';
import { RedisSignalBus } from '../turn/queue/redis-signal-bus.js';

/** How much longer than the longest turn its log lives without an append, in ms. */
const LOG_MARGIN_MS = 600_000;

/** How much longer than the drain a stop waits for what runs, in ms: for its tools and its log. */
const HAND_BACK_MS = 10_000;

export interface DistributedOptions extends BackEndOptions {
  redisUrl: string;
  databaseUrl: string;
}

/**
 * Many processes over Redis and PostgreSQL.
 *
 * @throws UnreachableError.
 */
export async function openDistributed(options: DistributedOptions): Promise<BackEnd> {
  const opened = new ResourceStack();
  const ports = await opened.orClose(() => openPorts(options, opened));
  return { ...ports, publish: async () => undefined, close: () => opened.close() };
}

/** In the order they are needed: what is opened last takes turns, and is closed first. */
async function openPorts(
  options: DistributedOptions,
  opened: ResourceStack,
): Promise<Omit<BackEnd, 'publish' | 'close'>> {
  const { config, logger, redisUrl, databaseUrl } = options;
  const database = await opened.add(
    openPostgres({
      url: databaseUrl,
      connections: config.databaseConnections,
      onError: (error) => logger.warn({ error }, 'a connection to PostgreSQL broke'),
    }).catch((error: unknown) => {
      throw new UnreachableError('DATABASE_URL', databaseUrl, error);
    }),
    ({ close }) => close(),
  );
  const connect = (name: string) => {
    const onError = (error: unknown): void => logger.warn({ error }, 'Redis does not answer');
    const connecting = connectRedis({ url: redisUrl, name, onError });
    return opened.add(
      connecting.catch((error: unknown) => {
        throw new UnreachableError('REDIS_URL', redisUrl, error);
      }),
      closeRedis,
    );
  };
  const redis = await connect('turnpike');
  const subscriber = new RedisSubscriber(await connect('turnpike-subscriber'));
  const prefix = config.redisPrefix;
  const ttlMs = config.turnTimeoutMs + LOG_MARGIN_MS;
  const maxBytes = config.logBytesPerTurn;
  const log = new RedisEventLog({ redis, subscriber, prefix, ttlMs, maxBytes });
  const bus = await opened.add(
    Promise.resolve(new RedisSignalBus({ redis, subscriber, prefix })),
    (signals) => signals.close(),
  );
  const queue = await opened.add(
    BullTurnQueue.open({
      redis,
      prefix,
      concurrency: runsTurns(config.role) ? config.workerConcurrency : 0,
      leaseMs: config.leaseMs,
      handlersMs: config.drainMs + HAND_BACK_MS,
      onError: (turnId, error) => logger.warn({ turnId, error }, 'the turn queue has a fault'),
    }),
    (bull) => bull.close(),
  );
  const blobContents =
    config.blobDir === undefined
      ? new PostgresContents(database.db, database.copyOut)
      : new DiskContents(config.blobDir);
  const requests = new RedisRequestCounter(redis, prefix);
  const board = {
    open: (path: string) => queue.openBoard(path),
    sessions: new RedisBoardSessions(redis, prefix),
  };
  return { database, log, bus, queue, requests, blobContents, board };
}
