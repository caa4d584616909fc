import type { JobsOptions } from 'bullmq';
import type { QueueBoard } from '../../ops/queue-board.js';
import { settlesWithin } from '../../platform/settles-within.js';
import {
  BullQueueModule,
  type BullQueueOptions,
  type OpenedBullQueue,
} from './bull-queue.module.js';
import type { TurnHandler, TurnPriority, TurnQueue } from './turn-queue.js';

export interface BullTurnQueueOptions extends BullQueueOptions {
  /** How long a close waits for handlers, in ms; what runs after it is its lease's to bring back. */
  handlersMs: number;
  /** A handler threw: its turn is tried again later. */
  onError(turnId: string | undefined, error: unknown): void;
}

/** A handler throws for faults of the infrastructure only: tried again soon, then less and less. */
const retries: JobsOptions = {
  attempts: 10,
  backoff: { type: 'exponential', delay: 250, jitter: 0.5 },
  removeOnComplete: true,
  // The turn is not lost: the sweeper enqueues it again.
  removeOnFail: true,
};

/** How long a close waits for Redis to take what is to be written, in ms. */
const CLOSE_WAIT_MS = 2_000;

const priorities: Record<TurnPriority, JobsOptions> = {
  recovered: { lifo: true },
  normal: {},
  // Served when nothing without a priority waits.
  background: { priority: 1 },
};

/** What is recovered is a job of its own: the turn's other one may be in use for another turn. */
const RECOVERED = '-recovered';
const recoveredId = (turnId: string): string => turnId + RECOVERED;
const turnIdOf = (jobId: string): string =>
  jobId.endsWith(RECOVERED) ? jobId.slice(0, -RECOVERED.length) : jobId;

/** The distributed queue: BullMQ, one job a turn under the turn's own id. */
export class BullTurnQueue implements TurnQueue {
  readonly #handling = new Set<Promise<void>>();
  #isClosed = false;

  private constructor(
    private readonly options: BullTurnQueueOptions,
    private readonly opened: OpenedBullQueue,
  ) {}

  static async open(options: BullTurnQueueOptions): Promise<BullTurnQueue> {
    const opened = await BullQueueModule.open(options);
    opened.queue.on('error', (error) => options.onError(undefined, error));
    return new BullTurnQueue(options, opened);
  }

  async enqueue(turnIds: readonly string[], priority: TurnPriority): Promise<void> {
    const { queue } = this.opened;
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
    const { redis } = this.options;
    const wait = this.opened.queue.toKey('wait');
    const prioritized = this.opened.queue.toKey('prioritized');
    const [own, recovered, rank] = await Promise.all([
      redis.lpos(wait, turnId),
      redis.lpos(wait, recoveredId(turnId)),
      redis.zrank(prioritized, turnId),
    ]);
    const index = recovered ?? own;
    if (index === null && rank === null) return 0;
    const length = await redis.llen(wait);
    // Taken from the tail.
    return index === null ? length + (rank ?? 0) + 1 : length - index;
  }

  async consume(handler: TurnHandler): Promise<void> {
    const { host } = this.opened;
    if (host === undefined) throw new Error('This process only enqueues turns');
    host.handler = {
      handle: (turnId, isRecovered) => this.#track(handler.handle(turnId, isRecovered)),
      onDoubt: (turnId) => handler.onDoubt(turnId),
    };
    const { worker } = host;
    const { onError } = this.options;
    worker.on('failed', (job, error) => onError(job?.data.turnId, error));
    worker.on('error', (error) => onError(undefined, error));
    worker.on('lockRenewalFailed', (jobIds) =>
      jobIds.forEach((jobId) => handler.onDoubt(turnIdOf(jobId))),
    );
    await worker.waitUntilReady();
    worker.run().catch((error: unknown) => onError(undefined, error));
  }

  async depth(): Promise<number> {
    const { queue } = this.opened;
    const { waiting = 0, prioritized = 0 } = await queue.getJobCounts('waiting', 'prioritized');
    return waiting + prioritized;
  }

  async workers(): Promise<number | null> {
    const clients = await this.opened.queue.getWorkers();
    // Where Redis does not list its clients, there is one entry, and it has no address.
    return clients.every(({ addr }) => addr !== undefined) ? clients.length : null;
  }

  /** The board of its jobs under a path, to look at. */
  async openBoard(path: string): Promise<QueueBoard> {
    // Only where somebody looks: it is a server of its own, with its own page.
    const { openBullBoard } = await import('./bull-board.js');
    return openBullBoard(this.opened.queue, path);
  }

  async ping(): Promise<void> {
    if (this.#isClosed) throw new Error('The turn queue is closed');
    if (this.options.redis.status !== 'ready') throw new Error('Redis cannot be reached');
    await this.options.redis.ping();
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    const { host, close, leave } = this.opened;
    // At once: a worker that ends a job while it closes would take the next one with it.
    await host?.worker.pause(true);
    await settlesWithin(this.options.handlersMs, Promise.allSettled(this.#handling));
    if (!(await settlesWithin(CLOSE_WAIT_MS, close()))) await leave();
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
