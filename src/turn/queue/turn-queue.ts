/**
 * Tokens for workers. A token says that something waits, and has no order: the worker that takes it claims the turns that
 * are to run next, for all slots that are free. Turns are rows, and the sweeper adds a token where one was lost.
 * Two implementations, one conformance suite.
 */
export interface TurnQueue {
  /** Adds a token for the turns that can be claimed from now on, any number of them. */
  wake(): Promise<void>;
  /**
   * Starts to hand tokens out, one at a time: no other comes before `handler` has settled.
   *
   * @param handler claims the turns that wait. What it throws is logged: the turns still wait, and the sweeper
   *   adds another token.
   */
  consume(handler: () => Promise<void>): Promise<void>;
  /** Number of tokens that no worker has taken. */
  depth(): Promise<number>;
  /** Processes that take tokens; null where their number is not known. */
  workers(): Promise<number | null>;
  /** Tries a write, which leaves nothing. Rejects when the queue takes none, or does not answer. */
  ping(): Promise<void>;
  /** Hands out no more; resolves when a handler that runs has settled. */
  close(): Promise<void>;
}

/** Injects the `TurnQueue` of the back end. */
export const TURN_QUEUE = Symbol('TurnQueue');

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
