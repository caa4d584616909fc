import { InjectQueue } from '@nestjs/bullmq';
import { Inject, Injectable, Optional, type BeforeApplicationShutdown } from '@nestjs/common';
import type { JobsOptions, Queue } from 'bullmq';
import type { Redis } from 'ioredis';
import { CONFIG, type Config } from '../../config/config.js';
import type { QueueBoard } from './queue-board.js';
import { LOGGER, type Logger } from '../../platform/logger.js';
import { settlesWithin } from '../../platform/settles-within.js';
import { REDIS } from '../../storage/redis-connection.js';
import type { TurnHandler, TurnPriority, TurnQueue } from './turn-queue.js';
import { QUEUE_NAME, TurnProcessorHost, type TurnJob } from './turn.processor.js';

/** Time beyond the drain that a stop waits for what runs, in ms: for its tools and its log. */
const HAND_BACK_MS = 10_000;

/** A handler throws for faults of the infrastructure only: tried again soon, then less and less. */
const retries: JobsOptions = {
  attempts: 10,
  backoff: { type: 'exponential', delay: 250, jitter: 0.5 },
  removeOnComplete: true,
  // The turn is not lost: the sweeper enqueues it again.
  removeOnFail: true,
};

/** Longest time that a close waits for Redis to take what is to be written, in ms. */
const CLOSE_WAIT_MS = 2_000;

const priorities: Record<TurnPriority, JobsOptions> = {
  recovered: { lifo: true },
  normal: {},
  // Priority of jobs that are served when no others wait.
  background: { priority: 1 },
};

/** A recovered turn has a job of its own: the turn's other job may be in use for another turn. */
const RECOVERED = '-recovered';
const recoveredId = (turnId: string): string => turnId + RECOVERED;
const turnIdOf = (jobId: string): string =>
  jobId.endsWith(RECOVERED) ? jobId.slice(0, -RECOVERED.length) : jobId;

/** The distributed queue: BullMQ, one job a turn under the turn's own id. */
@Injectable()
export class BullTurnQueue implements TurnQueue, BeforeApplicationShutdown {
  readonly #handling = new Set<Promise<void>>();
  #isClosed = false;

  constructor(
    @InjectQueue(QUEUE_NAME) private readonly queue: Queue<TurnJob>,
    @Inject(REDIS) private readonly redis: Redis,
    @Inject(CONFIG) private readonly config: Pick<Config, 'drainMs'>,
    @Inject(LOGGER) private readonly logger: Pick<Logger, 'warn'>,
    /** Absent in a process that only enqueues. */
    @Optional() private readonly host?: TurnProcessorHost,
  ) {
    queue.on('error', (error) => this.#warn(undefined, error));
  }

  async enqueue(turnIds: readonly string[], priority: TurnPriority): Promise<void> {
    const { queue } = this;
    const isRecovered = priority === 'recovered';
    const idOf = isRecovered ? recoveredId : (turnId: string) => turnId;
    // The job of a worker that is gone is in nobody's hands; one whose lock lives stays.
    if (isRecovered) await Promise.all(turnIds.map((turnId) => queue.remove(idOf(turnId))));
    const options = { ...retries, ...priorities[priority] };
    const add = (turnId: string) =>
      queue.add('turn', { turnId, isRecovered }, { ...options, jobId: idOf(turnId) });
    await Promise.all(turnIds.map(add));
  }

  async position(turnId: string): Promise<number> {
    const { queue, redis } = this;
    const wait = queue.toKey('wait');
    const prioritized = queue.toKey('prioritized');
    const [own, recovered, rank] = await Promise.all([
      redis.lpos(wait, turnId),
      redis.lpos(wait, recoveredId(turnId)),
      redis.zrank(prioritized, turnId),
    ]);
    const index = recovered ?? own;
    if (index === null && rank === null) return 0;
    const length = await redis.llen(wait);
    // Recovered jobs are taken from the tail.
    return index === null ? length + (rank ?? 0) + 1 : length - index;
  }

  async consume(handler: TurnHandler): Promise<void> {
    const { host } = this;
    if (host === undefined) throw new Error('This process only enqueues turns');
    host.handler = {
      handle: (turnId, isRecovered) => this.#track(handler.handle(turnId, isRecovered)),
      onDoubt: (turnId) => handler.onDoubt(turnId),
    };
    const { worker } = host;
    worker.on('failed', (job, error) => this.#warn(job?.data.turnId, error));
    worker.on('error', (error) => this.#warn(undefined, error));
    worker.on('lockRenewalFailed', (jobIds) =>
      jobIds.forEach((jobId) => handler.onDoubt(turnIdOf(jobId))),
    );
    await worker.waitUntilReady();
    worker.run().catch((error: unknown) => this.#warn(undefined, error));
  }

  async depth(): Promise<number> {
    const { waiting = 0, prioritized = 0 } = await this.queue.getJobCounts(
      'waiting',
      'prioritized',
    );
    return waiting + prioritized;
  }

  async workers(): Promise<number | null> {
    const clients = await this.queue.getWorkers();
    // A Redis that does not list its clients answers with one entry, which has no address.
    return clients.every(({ addr }) => addr !== undefined) ? clients.length : null;
  }

  /** The board of its jobs under a path, to look at. */
  async openBoard(path: string): Promise<QueueBoard> {
    // Only where somebody looks: it is a server of its own, with its own page.
    const { openBullBoard } = await import('./bull-board.js');
    return openBullBoard(this.queue, path);
  }

  async ping(): Promise<void> {
    if (this.#isClosed) throw new Error('The turn queue is closed');
    if (this.redis.status !== 'ready') throw new Error('Redis cannot be reached');
    await this.redis.ping();
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
    const handlersMs = this.config.drainMs + HAND_BACK_MS;
    await settlesWithin(handlersMs, Promise.allSettled(this.#handling));
    if (await settlesWithin(CLOSE_WAIT_MS, worker.close())) return;
    // A worker that closes answers with the close that waits.
    worker.closing = undefined;
    await worker.close(true);
  }

  #warn(turnId: string | undefined, error: unknown): void {
    this.logger.warn({ turnId, error }, 'the turn queue has a fault');
  }

  async #track(handled: Promise<void>): Promise<void> {
    this.#handling.add(handled);
    try {
      await handled;
    } finally {
      this.#handling.delete(handled);
    }
  }
}
