import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import type { Redis } from 'ioredis';
import { RedisEventLog } from '../../src/events/redis-event-log.js';
import type { RedisAddress } from '../../src/storage/redis/redis-address.js';
import {
  closeRedis,
  connectRedis,
  connectSubscriber,
  type RedisClient,
  RedisSubscriber,
} from '../../src/storage/redis/redis-connection.js';
import { RedisSignalBus } from '../../src/turn/queue/signal-bus.js';
import { Recorder } from '../support/recorder.js';
import { useShared } from '../support/suite.js';
import { openBullQueue } from '../support/turn/open-bull-queue.js';
import { eventLogConformance, KEPT_MS } from './event-log.js';
import { signalBusConformance } from './signal-bus.js';
import { turnQueueConformance } from './turn-queue.js';

export interface RedisParts {
  redis: RedisClient;
  /** The connection of the subscriber. */
  listening: Redis;
  subscriber: RedisSubscriber;
  close(): Promise<void>;
}

export const newPrefix = (): string => `test-${randomUUID()}`;

/** Connects before the tests of a suite, to an address that is there by then. */
export function useRedis(addressOf: () => RedisAddress): RedisParts {
  return useShared(async () => {
    const onError = (error: Error): never => {
      throw error;
    };
    const options = { address: addressOf(), name: 'conformance', onError };
    const redis = await connectRedis(options);
    const listening = await connectSubscriber(redis, options);
    const close = async (): Promise<void> => {
      await closeRedis(listening);
      await closeRedis(redis);
    };
    return { redis, listening, subscriber: new RedisSubscriber(listening), close };
  });
}

export function openLog(
  { redis, subscriber }: RedisParts,
  more: { maxBytes?: number; prefix?: string; keptMs?: number } = {},
): RedisEventLog {
  const { maxBytes = 1_000_000, prefix = newPrefix(), keptMs = KEPT_MS } = more;
  return new RedisEventLog({ redis, subscriber, prefix, ttlMs: 60_000, keptMs, maxBytes });
}

/** What the parts over a Redis keep to, whatever Redis that is. */
export function redisConformance(where: string, parts: RedisParts): void {
  // Redis keeps its own time, so the test lets real time pass.
  eventLogConformance(`RedisEventLog${where}`, async () => ({
    log: openLog(parts),
    pass: (ms) => sleep(ms),
  }));

  signalBusConformance(`RedisSignalBus${where}`, async () => {
    const { redis, subscriber } = parts;
    return new RedisSignalBus({ redis, subscriber, prefix: newPrefix() });
  });

  describe(`RedisSignalBus${where} of several workers`, () => {
    it('gives a hint for a turn to the worker that it names, and to no other', async () => {
      const { redis, subscriber } = parts;
      const prefix = newPrefix();
      const open = () => new RedisSignalBus({ redis, subscriber, prefix });
      const [api, first, second] = [open(), open(), open()];
      const received = new Recorder<string>();
      await first.onTurn(() => received.take('first'));
      await second.onTurn(() => received.take('second'));
      await api.publishTurn(second.workerId);
      await api.publishTurn('a-worker-that-is-gone');
      await api.publishTurn(first.workerId);
      await received.count(2);
      // Each worker hears its own channel, in a cluster perhaps from another node: no order between two of them.
      expect(received.items.toSorted()).toEqual(['first', 'second']);
      await Promise.all([api, first, second].map((bus) => bus.close()));
    });
  });

  turnQueueConformance(`BullTurnQueue${where}`, async () => {
    const errors: unknown[] = [];
    const onError = (error: unknown): void => void errors.push(error);
    const { redis } = parts;
    return { queue: await openBullQueue({ redis, prefix: newPrefix(), onError }), errors };
  });
}
