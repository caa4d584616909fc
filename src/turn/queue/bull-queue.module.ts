import { BullModule } from '@nestjs/bullmq';
import { Module, type DynamicModule, type Type } from '@nestjs/common';
import type { Config } from '../../config/config.js';
import { runsTurns } from '../../config/role.js';
import { REDIS, type RedisClient } from '../../storage/redis/redis-connection.js';
import { BullTurnQueue } from './bull-turn-queue.js';
import { QUEUE_NAME, TurnProcessorHost, turnProcessor } from './turn.processor.js';

export type BullQueueConfig = Pick<Config, 'redisPrefix' | 'role' | 'leaseMs'>;

/** BullMQ as the queue of turns, and as its worker where the process runs turns. */
@Module({})
export class BullQueueModule {
  /** @param redis the module that exports the connection. */
  static register(redis: Type | DynamicModule, config: BullQueueConfig): DynamicModule {
    const { redisPrefix, role, leaseMs } = config;
    const processor = {
      provide: TurnProcessorHost,
      useClass: turnProcessor({
        autorun: false,
        skipVersionCheck: true,
        // A worker's slots are the bound of its turns: one job claims for all that are free.
        concurrency: 1,
        // The token of a worker that died is somebody else's by the time its turns can be claimed.
        lockDuration: leaseMs,
        stalledInterval: leaseMs,
        // A job may stall any number of times: its worker learns from the database what there is to
        // do.
        maxStalledCount: 1_000_000,
      }),
    };
    return {
      module: BullQueueModule,
      imports: [
        redis,
        // By its own factory: the options that queues share are optional to the framework, which would
        // connect to a Redis of its own where ours cannot be reached.
        BullModule.registerQueueAsync({
          name: QUEUE_NAME,
          imports: [redis],
          inject: [REDIS],
          useFactory: (connection: RedisClient) => ({
            connection,
            // The start has checked the server, and warned in a line of the log.
            skipVersionCheck: true,
            // A hash tag: every key of the queue is in one slot of a cluster.
            prefix: `{${redisPrefix}}`,
            // The queue's own stream of events has no reader.
            streams: { events: { maxLen: 100 } },
          }),
        }),
      ],
      providers: [BullTurnQueue, ...(runsTurns(role) ? [processor] : [])],
      exports: [BullTurnQueue],
    };
  }
}
