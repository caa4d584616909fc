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
  readonly #lanes: Record<TurnPriority, Set<string>> = {
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
    const { recovered, normal, background } = this.#lanes;
    const lanes = priority === 'recovered' ? [recovered] : [normal, background];
    for (const turnId of turnIds) {
      const isRunning = this.#running.has(entryOf(turnId, priority === 'recovered'));
      if (!isRunning && !lanes.some((lane) => lane.has(turnId))) this.#lanes[priority].add(turnId);
    }
    this.#start();
  }

  async position(turnId: string): Promise<number> {
    return this.#queued().indexOf(turnId) + 1;
  }

  async consume(handler: TurnHandler): Promise<void> {
    this.#handler = handler;
    this.#start();
  }

  async depth(): Promise<number> {
    return this.#queued().length;
  }

  async workers(): Promise<number> {
    return this.#handler === undefined ? 0 : 1;
  }

  async ping(): Promise<void> {
    if (this.#closed) throw new Error('The turn queue is closed');
  }

  async close(): Promise<void> {
    this.#closed = true;
    for (const lane of Object.values(this.#lanes)) lane.clear();
    await Promise.all(this.#running.values());
  }

  #queued(): string[] {
    return Object.values(this.#lanes).flatMap((lane) => [...lane]);
  }

  #start(): void {
    const handler = this.#handler;
    if (handler === undefined || this.#closed) return;
    for (const lane of Object.values(this.#lanes)) {
      for (const turnId of lane) {
        if (this.#running.size >= this.options.concurrency) return;
        lane.delete(turnId);
        const isRecovered = lane === this.#lanes.recovered;
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
