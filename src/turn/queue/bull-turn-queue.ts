import { Processor, WorkerHost, InjectQueue, BullModule } from '@nestjs/bullmq';
import {
  type Type,
  Inject,
  Injectable,
  Optional,
  type BeforeApplicationShutdown,
  Module,
  type DynamicModule,
} from '@nestjs/common';
import type { WorkerOptions, JobsOptions, Queue } from 'bullmq';
import { LOGGER, type Logger } from '../../platform/logger.js';
import { withTimeout } from '../../platform/async/deadlines.js';
import { REDIS, tryRedisWrite, type RedisClient } from '../../storage/redis/redis-connection.js';
import type { Config } from '../../config/config.js';
import { runsTurns } from '../../config/role.js';
import type { TurnQueue } from './turn-queue.js';

/** The queue's name, the last part of its keys. */
const QUEUE_NAME = 'turns';

/** Hands jobs to the queue's consumer, which claims turns for them. A job is a token, and carries nothing. */
abstract class TurnProcessorHost extends WorkerHost {
  handler: (() => Promise<void>) | undefined;

  async process(): Promise<void> {
    if (this.handler === undefined) throw new Error('Nobody consumes the turn queue');
    await this.handler();
  }
}

/** A processor with options that are known at start only: a decorator takes no others. */
function turnProcessor(options: Omit<WorkerOptions, 'connection'>): Type<TurnProcessorHost> {
  @Processor(QUEUE_NAME, options)
  class TurnProcessor extends TurnProcessorHost {}
  return TurnProcessor;
}

/** A job that fails is not tried again: its turns still wait, and the sweeper adds another job. */
const once: JobsOptions = { removeOnComplete: true, removeOnFail: true };

/** Longest time that a close waits for Redis to take what is to be written, in ms. */
const CLOSE_WAIT_MS = 2_000;

/**
 * The distributed queue: BullMQ, one job a token. Its order, its tries and its bounds are not used: the database says
 * which turn runs next, and how it ended.
 */
@Injectable()
export class BullTurnQueue implements TurnQueue, BeforeApplicationShutdown {
  /** The token that is being added, and the one after it, for turns that were stored meanwhile. */
  #adding: Promise<void> | undefined;
  #next: Promise<void> | undefined;
  #handling: Promise<void> | undefined;
  /** Tokens that waited at the last look, which comes after an add. */
  #waiting = 0;
  #isClosed = false;

  constructor(
    @InjectQueue(QUEUE_NAME) private readonly queue: Queue,
    @Inject(REDIS) private readonly redis: RedisClient,
    @Inject(LOGGER) private readonly logger: Logger,
    /** Absent in a process that runs no turns. */
    @Optional() private readonly host?: TurnProcessorHost,
  ) {
    queue.on('error', (error) => this.#warn(error));
  }

  /** Begins at once: a turn alone is to be claimed soon. Turns that come meanwhile share the next token. */
  wake(): Promise<void> {
    if (this.#adding === undefined) return this.#add({ isAlone: true });
    const addNext = (): Promise<void> => {
      this.#next = undefined;
      return this.#add({ isAlone: false });
    };
    return (this.#next ??= this.#adding.then(addNext, addNext));
  }

  async consume(handler: () => Promise<void>): Promise<void> {
    const { host } = this;
    if (host === undefined) throw new Error('This process only wakes workers');
    host.handler = () => (this.#handling = handler());
    const { worker } = host;
    worker.on('failed', (_job, error) => this.#warn(error));
    worker.on('error', (error) => this.#warn(error));
    await worker.waitUntilReady();
    worker.run().catch((error: unknown) => this.#warn(error));
  }

  async depth(): Promise<number> {
    return this.queue.getWaitingCount();
  }

  async workers(): Promise<number | null> {
    const clients = await this.queue.getWorkers();
    // A Redis that does not list its clients answers with one entry, which has no address.
    return clients.every(({ addr }) => addr !== undefined) ? clients.length : null;
  }

  async ping(): Promise<void> {
    if (this.#isClosed) throw new Error('The turn queue is closed');
    // In the slot of the queue's own keys.
    await tryRedisWrite(this.redis, `${this.queue.opts.prefix}:write-check`);
  }

  close(): Promise<void> {
    return this.#stop();
  }

  /** Before the framework closes its own: that waits for as long as Redis is away. */
  beforeApplicationShutdown(): Promise<void> {
    return this.#stop();
  }

  async #stop(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    const worker = this.host?.worker;
    if (worker === undefined) return;
    // At once: a worker that ends a job while it closes would take the next one with it.
    await worker.pause(true);
    await Promise.allSettled([this.#handling]);
    if (await withTimeout(CLOSE_WAIT_MS, worker.close())) return;
    // A worker that closes answers with the close that waits.
    worker.closing = undefined;
    await worker.close(true);
  }

  #add(wake: { isAlone: boolean }): Promise<void> {
    this.#adding = this.#addToken(wake).finally(() => (this.#adding = undefined));
    return this.#adding;
  }

  /**
   * A token that nobody has taken is for all turns that are stored by now: the worker that takes it claims after that. The look
   * for one is a round trip, which the first token of a turn that is alone would wait for: there it goes together with
   * the add, and comes first the next time if it found more than the token that was added.
   */
  async #addToken({ isAlone }: { isAlone: boolean }): Promise<void> {
    const { queue } = this;
    if (!isAlone || this.#waiting > 1) {
      this.#waiting = await queue.getWaitingCount();
      if (this.#waiting > 0) return;
    }
    const added = queue.add('token', {}, once);
    [this.#waiting] = await Promise.all([queue.getWaitingCount(), added]);
  }

  #warn(error: unknown): void {
    this.logger.warn(
      { error },
      'the turn queue reported an error; queued turns are safe in the database, and the sweeper wakes a worker for them',
    );
  }
}

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
