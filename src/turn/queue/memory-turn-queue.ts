import type { TurnQueue } from './turn-queue.js';

/** The queue of one process: its tokens are one, however many are added. */
export class MemoryTurnQueue implements TurnQueue {
  #hasToken = false;
  #handler: (() => Promise<void>) | undefined;
  #running: Promise<void> | undefined;
  #closed = false;

  /** @param onError is called with what a handler throws. */
  constructor(private readonly onError: (error: unknown) => void) {}

  async wake(): Promise<void> {
    this.#hasToken = true;
    this.#start();
  }

  async consume(handler: () => Promise<void>): Promise<void> {
    this.#handler = handler;
    this.#start();
  }

  async depth(): Promise<number> {
    return this.#hasToken ? 1 : 0;
  }

  async workers(): Promise<number> {
    return this.#handler === undefined ? 0 : 1;
  }

  async ping(): Promise<void> {
    if (this.#closed) throw new Error('The turn queue is closed');
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.#running;
  }

  #start(): void {
    if (this.#handler === undefined || !this.#hasToken || this.#closed) return;
    this.#running ??= this.#run(this.#handler);
  }

  async #run(handler: () => Promise<void>): Promise<void> {
    while (this.#hasToken && !this.#closed) {
      this.#hasToken = false;
      try {
        await handler();
      } catch (error) {
        this.onError(error);
      }
    }
    this.#running = undefined;
  }
}
