import type { TurnQueue } from './turn-queue.js';

export interface MemoryTurnQueueOptions {
  /** Handlers that run at a time. */
  concurrency: number;
  /** A handler is to end its own errors; what it throws all the same comes here. */
  onError(turnId: string, error: unknown): void;
}

/** The embedded queue. Bounded by admission: no more turns are accepted than may wait. */
export class MemoryTurnQueue implements TurnQueue {
  readonly #waiting = new Set<string>();
  readonly #running = new Map<string, Promise<void>>();
  #handler: ((turnId: string) => Promise<void>) | undefined;
  #closed = false;

  constructor(private readonly options: MemoryTurnQueueOptions) {}

  async enqueue(turnId: string): Promise<{ position: number }> {
    if (this.#running.has(turnId)) return { position: 0 };
    this.#waiting.add(turnId);
    this.#start();
    const position = [...this.#waiting].indexOf(turnId) + 1;
    return { position };
  }

  consume(handler: (turnId: string) => Promise<void>): void {
    this.#handler = handler;
    this.#start();
  }

  async depth(): Promise<number> {
    return this.#waiting.size;
  }

  async ping(): Promise<void> {
    if (this.#closed) throw new Error('The turn queue is closed');
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#waiting.clear();
    await Promise.all(this.#running.values());
  }

  #start(): void {
    const handler = this.#handler;
    if (handler === undefined || this.#closed) return;
    for (const turnId of this.#waiting) {
      if (this.#running.size >= this.options.concurrency) return;
      this.#waiting.delete(turnId);
      this.#running.set(turnId, this.#run(handler, turnId));
    }
  }

  async #run(handler: (turnId: string) => Promise<void>, turnId: string): Promise<void> {
    try {
      await handler(turnId);
    } catch (error) {
      this.options.onError(turnId, error);
    } finally {
      this.#running.delete(turnId);
      this.#start();
    }
  }
}
