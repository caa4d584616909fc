import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Redis } from 'ioredis';
import { RedisEventLog } from '../../src/events/redis-event-log.js';
import {
  closeRedis,
  connectRedis,
  connectSubscriber,
  type RedisClient,
  RedisSubscriber,
} from '../../src/storage/redis/redis-connection.js';
import { RedisSignalBus } from '../../src/turn/queue/signal-bus.js';
import { startRedisCluster, type RedisCluster } from '../support/processes/redis-cluster.js';
import { openBullQueue } from '../support/turn/open-bull-queue.js';
import { endEvent, eventLogConformance, KEPT_MS } from './event-log.js';
import { signalBusConformance } from './signal-bus.js';
import { turnQueueConformance } from './turn-queue.js';

let cluster: RedisCluster;
let redis: RedisClient;
let listening: Redis;
let subscriber: RedisSubscriber;
beforeAll(async () => {
  cluster = await startRedisCluster();
  const onError = (error: Error): never => {
    throw error;
  };
  const options = { address: cluster.address, name: 'conformance', onError };
  redis = await connectRedis(options);
  listening = await connectSubscriber(redis, options);
  subscriber = new RedisSubscriber(listening);
});
afterAll(async () => {
  await closeRedis(listening);
  await closeRedis(redis);
  await cluster.close();
});

const newPrefix = (): string => `test-${randomUUID()}`;
const openLog = (prefix = newPrefix(), keptMs = KEPT_MS): RedisEventLog =>
  new RedisEventLog({
    redis,
    subscriber,
    prefix,
    ttlMs: 60_000,
    keptMs,
    maxBytes: 1_000_000,
  });

eventLogConformance('RedisEventLog over a cluster', async () => ({
  log: openLog(),
  pass: (ms) => sleep(ms),
}));

signalBusConformance(
  'RedisSignalBus over a cluster',
  async () => new RedisSignalBus({ redis, subscriber, prefix: newPrefix() }),
);

turnQueueConformance('BullTurnQueue over a cluster', async () => {
  const errors: unknown[] = [];
  const onError = (error: unknown): void => void errors.push(error);
  const queue = await openBullQueue({ redis, prefix: newPrefix(), onError });
  return { queue, errors };
});

describe('the logs of many turns over a cluster', () => {
  it('are at every node, and are appended to at once', async () => {
    const log = openLog(newPrefix(), 60_000);
    const turnIds = Array.from({ length: 50 }, (_, index) => `turn-${index}`);
    await Promise.all(turnIds.map((turnId) => log.append(turnId, 1, [endEvent(1)])));
    const sizes = await Promise.all(
      cluster.masters.map(async ({ port }) => {
        const node = await connectRedis({
          address: { kind: 'server', url: `redis://127.0.0.1:${port}` },
          name: 'size',
          onError: () => undefined,
        });
        const size = await node.dbsize();
        await closeRedis(node);
        return size;
      }),
    );
    for (const size of sizes) expect(size).toBeGreaterThan(0);
    for (const turnId of turnIds) expect(await log.read(turnId)).toEqual([endEvent(1)]);
  });
});
