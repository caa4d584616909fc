import { Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { Role } from '../../../src/config/role.js';
import { LOGGER } from '../../../src/platform/logger.js';
import { REDIS, type RedisClient } from '../../../src/storage/redis/redis-connection.js';
import { BullQueueModule, BullTurnQueue } from '../../../src/turn/queue/bull-turn-queue.js';
import type { TurnQueue } from '../../../src/turn/queue/turn-queue.js';

export interface BullQueueOptions {
  redis: RedisClient;
  prefix: string;
  /** Default: a worker's. */
  role?: Role;
  onError?: (error: unknown) => void;
}

@Module({})
class GivenRedis {}

@Module({})
class GivenValues {}

/** The queue with its worker, as a server process opens them; `close` ends the application too. */
export async function openBullQueue(options: BullQueueOptions): Promise<TurnQueue> {
  const { redis, prefix, role = 'worker', onError = () => undefined } = options;
  const warn = ({ error }: Record<string, unknown>): void => onError(error);
  const values = [{ provide: LOGGER, useValue: { warn } }];
  const config = {
    redisPrefix: prefix,
    role,
    leaseMs: 30_000,
  };
  const connection = { provide: REDIS, useValue: redis };
  const given = { module: GivenRedis, providers: [connection], exports: [REDIS] };
  const application = await NestFactory.createApplicationContext(
    {
      module: GivenValues,
      global: true,
      imports: [BullQueueModule.register(given, config)],
      providers: values,
      exports: [LOGGER],
    },
    { logger: false, abortOnError: false },
  );
  const queue = application.get(BullTurnQueue, { strict: false });
  const closeQueue = queue.close.bind(queue);
  queue.close = async () => {
    await closeQueue();
    await application.close();
  };
  return queue;
}
