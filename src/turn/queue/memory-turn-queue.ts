import type { TurnHandler, TurnPriority, TurnQueue } from './turn-queue.js';

export interface MemoryTurnQueueOptions {
  /** Handlers that run at a time. */
  concurrency: number;
  /** A handler is to end its own errors; what it throws all the same comes here. */
  onError(turnId: string, error: unknown): void;
}

/** The embedded queue. Bounded by admission: no more turns are accepted than may wait. */
export class MemoryTurnQueue implements TurnQueue {
  /** Entries in the order in which they are served. */
  readonly #lines: Record<TurnPriority, Set<string>> = {
    recovered: new Set(),
    normal: new Set(),
    background: new Set(),
  };
  /** Handlers that run, by the entry (see `entryOf`). */
  readonly #running = new Map<string, Promise<void>>();
  #handler: TurnHandler | undefined;
  #closed = false;

  constructor(private readonly options: MemoryTurnQueueOptions) {}

  async enqueue(turnIds: readonly string[], priority: TurnPriority): Promise<void> {
    const { recovered, normal, background } = this.#lines;
    const lines = priority === 'recovered' ? [recovered] : [normal, background];
    for (const turnId of turnIds) {
      const isRunning = this.#running.has(entryOf(turnId, priority === 'recovered'));
      if (!isRunning && !lines.some((line) => line.has(turnId))) this.#lines[priority].add(turnId);
    }
    this.#start();
  }

  async position(turnId: string): Promise<number> {
    return this.#waiting().indexOf(turnId) + 1;
  }

  async consume(handler: TurnHandler): Promise<void> {
    this.#handler = handler;
    this.#start();
  }

  async depth(): Promise<number> {
    return this.#waiting().length;
  }

  async workers(): Promise<number> {
    return this.#handler === undefined ? 0 : 1;
  }

  async ping(): Promise<void> {
    if (this.#closed) throw new Error('The turn queue is closed');
  }

  async close(): Promise<void> {
    this.#closed = true;
    for (const line of Object.values(this.#lines)) line.clear();
    await Promise.all(this.#running.values());
  }

  #waiting(): string[] {
    return Object.values(this.#lines).flatMap((line) => [...line]);
  }

  #start(): void {
    const handler = this.#handler;
    if (handler === undefined || this.#closed) return;
    for (const line of Object.values(this.#lines)) {
      for (const turnId of line) {
        if (this.#running.size >= this.options.concurrency) return;
        line.delete(turnId);
        const isRecovered = line === this.#lines.recovered;
        const entry = entryOf(turnId, isRecovered);
        const running = this.#run(() => handler.handle(turnId, isRecovered), { turnId, entry });
        this.#running.set(entry, running);
      }
    }
  }

  async #run(handle: () => Promise<void>, of: { turnId: string; entry: string }): Promise<void> {
    try {
      await handle();
    } catch (error) {
      this.options.onError(of.turnId, error);
    } finally {
      this.#running.delete(of.entry);
      this.#start();
    }
  }
}

/** A recovered turn has its own entry: the other one may be in use for another turn. */
function entryOf(turnId: string, isRecovered: boolean): string {
  return isRecovered ? `recovered ${turnId}` : turnId;
}
