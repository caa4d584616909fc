import { BullModule, getQueueToken } from '@nestjs/bullmq';
import { Module, type DynamicModule, type Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { Queue } from 'bullmq';
import type { Redis } from 'ioredis';
import { TURN_QUEUE, TurnProcessorHost, turnProcessor, type TurnJob } from './turn.processor.js';

export interface BullQueueOptions {
  redis: Redis;
  /** First part of every key. */
  prefix: string;
  /** Turns this process runs at a time; 0: it only enqueues. */
  concurrency: number;
  /** How long a worker that went silent keeps a job, in ms. */
  leaseMs: number;
}

export interface OpenedBullQueue {
  queue: Queue<TurnJob>;
  /** Absent in a process that only enqueues. */
  host: TurnProcessorHost | undefined;
  /** When what came of its jobs is written: waits for a Redis that is away. */
  close(): Promise<void>;
  /** Instead, or while it closes: lets go of what it holds without Redis. */
  leave(): Promise<void>;
}

/** The queue's own small context: it lives and dies with its adapter, whatever serves HTTP. */
@Module({})
export class BullQueueModule {
  static async open(options: BullQueueOptions): Promise<OpenedBullQueue> {
    const { concurrency, leaseMs } = options;
    const processor =
      concurrency === 0
        ? undefined
        : turnProcessor({
            autorun: false,
            concurrency,
            // The job's lock ends with the turn's lease: the sweeper can then give it to another.
            lockDuration: leaseMs,
            stalledInterval: leaseMs,
            // Whoever gets it finds out from the database whether there is anything to do.
            maxStalledCount: 1_000_000,
          });
    const context = await NestFactory.createApplicationContext(
      BullQueueModule.register(options, processor),
      { logger: false, abortOnError: false },
    );
    const host = processor === undefined ? undefined : context.get(TurnProcessorHost);
    return {
      queue: context.get<Queue<TurnJob>>(getQueueToken(TURN_QUEUE)),
      host,
      close: () => context.close(),
      leave: async () => {
        if (host === undefined) return;
        // A worker that closes answers with the close that waits.
        host.worker.closing = undefined;
        await host.worker.close(true);
      },
    };
  }

  private static register(
    { redis, prefix }: BullQueueOptions,
    processor: Type<TurnProcessorHost> | undefined,
  ): DynamicModule {
    return {
      module: BullQueueModule,
      imports: [
        // A hash tag: every key of the queue is in one slot of a cluster.
        BullModule.forRoot({ connection: redis, prefix: `{${prefix}}` }),
        BullModule.registerQueue({
          name: TURN_QUEUE,
          // Nobody reads the queue's own stream of events.
          streams: { events: { maxLen: 100 } },
        }),
      ],
      providers:
        processor === undefined ? [] : [{ provide: TurnProcessorHost, useClass: processor }],
    };
  }
}
