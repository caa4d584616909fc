import type { TurnQueue } from './turn-queue.js';

export interface MemoryTurnQueueOptions {
  /** Handlers that run at a time. */
  concurrency: number;
  /** A handler is to end its own errors; what it throws all the same comes here. */
  onError(error: unknown): void;
}

/** The embedded queue. Bounded by admission: no more turns are accepted than may wait. */
export class MemoryTurnQueue implements TurnQueue {
  #waiting = 0;
  readonly #running = new Set<Promise<void>>();
  #handler: (() => Promise<void>) | undefined;
  #closed = false;

  constructor(private readonly options: MemoryTurnQueueOptions) {}

  async wake(count: number): Promise<void> {
    this.#waiting += count;
    this.#start();
  }

  async consume(handler: () => Promise<void>): Promise<void> {
    this.#handler = handler;
    this.#start();
  }

  async depth(): Promise<number> {
    return this.#waiting;
  }

  async workers(): Promise<number> {
    return this.#handler === undefined ? 0 : 1;
  }

  async ping(): Promise<void> {
    if (this.#closed) throw new Error('The turn queue is closed');
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#waiting = 0;
    await Promise.all(this.#running);
  }

  #start(): void {
    const handler = this.#handler;
    if (handler === undefined || this.#closed) return;
    while (this.#waiting > 0 && this.#running.size < this.options.concurrency) {
      this.#waiting -= 1;
      const running = this.#run(handler).finally(() => {
        this.#running.delete(running);
        this.#start();
      });
      this.#running.add(running);
    }
  }

  async #run(handler: () => Promise<void>): Promise<void> {
    try {
      await handler();
    } catch (error) {
      this.options.onError(error);
    }
  }
}
