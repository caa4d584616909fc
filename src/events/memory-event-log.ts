import type { Clock } from '../platform/clock.js';
import { FencedError, type EventLog } from './event-log.js';
import type { TurnEvent } from './turn-event.js';

interface TurnLog {
  attempt: number;
  events: TurnEvent[];
  listeners: Set<(events: readonly TurnEvent[]) => void>;
  cancelExpiry: () => void;
}

/** The embedded log: an array a turn. Bounded by the turns that run, as ended ones expire. */
export class MemoryEventLog implements EventLog {
  readonly #turns = new Map<string, TurnLog>();

  constructor(private readonly clock: Clock) {}

  /** Turns of which it holds anything. */
  get size(): number {
    return this.#turns.size;
  }

  async begin(turnId: string, attempt: number): Promise<void> {
    const log = this.#open(turnId);
    log.cancelExpiry();
    log.attempt = Math.max(log.attempt, attempt);
  }

  async append(turnId: string, attempt: number, events: readonly TurnEvent[]): Promise<void> {
    const log = this.#open(turnId);
    if (attempt < log.attempt) throw new FencedError(turnId, attempt, log.attempt);
    log.events.push(...events);
    for (const listener of log.listeners) listener(events);
  }

  async read(turnId: string): Promise<readonly TurnEvent[]> {
    return this.#turns.get(turnId)?.events.slice() ?? [];
  }

  async subscribe(
    turnId: string,
    listener: (events: readonly TurnEvent[]) => void,
  ): Promise<() => void> {
    const log = this.#open(turnId);
    log.listeners.add(listener);
    return () => {
      log.listeners.delete(listener);
      this.#forgetIfEmpty(turnId, log);
    };
  }

  async expire(turnId: string, afterMs: number): Promise<void> {
    const log = this.#turns.get(turnId);
    if (log === undefined) return;
    log.cancelExpiry();
    log.cancelExpiry = this.clock.after(afterMs, () => {
      log.events = [];
      log.attempt = 0;
      this.#forgetIfEmpty(turnId, log);
    });
  }

  async ping(): Promise<void> {
    // It is this process: it answers as long as anything does.
  }

  async close(): Promise<void> {
    for (const log of this.#turns.values()) log.cancelExpiry();
    this.#turns.clear();
  }

  #open(turnId: string): TurnLog {
    const existing = this.#turns.get(turnId);
    if (existing !== undefined) return existing;
    const log: TurnLog = {
      attempt: 0,
      events: [],
      listeners: new Set(),
      cancelExpiry: () => undefined,
    };
    this.#turns.set(turnId, log);
    return log;
  }

  /** A reader of a turn that ended long ago must not leave an entry behind. */
  #forgetIfEmpty(turnId: string, log: TurnLog): void {
    if (this.#turns.get(turnId) !== log) return;
    if (log.events.length === 0 && log.listeners.size === 0 && log.attempt === 0) {
      this.#turns.delete(turnId);
    }
  }
}
