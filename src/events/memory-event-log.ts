import type { Clock } from '../platform/clock.js';
import { compareCursors, followsOn, logStart, type EventCursor } from './cursor.js';
import {
  FencedError,
  GapError,
  LOG_KEPT_MS,
  type EventLog,
  type LogListener,
} from './event-log.js';
import type { TurnEvent } from './turn-event.js';

interface TurnLog {
  attempt: number;
  last: EventCursor;
  events: TurnEvent[];
  listeners: Set<LogListener>;
  cancelExpiry: () => void;
}

/** The embedded log: an array a turn. Memory is bounded by the turns that run: ended ones expire. */
export class MemoryEventLog implements EventLog {
  readonly #turns = new Map<string, TurnLog>();

  /** @param keptMs time by which a log outlives its turn, in ms. */
  constructor(
    private readonly clock: Clock,
    private readonly keptMs = LOG_KEPT_MS,
  ) {}

  /** The number of turns with an entry. */
  get size(): number {
    return this.#turns.size;
  }

  async begin(turnId: string, attempt: number): Promise<EventCursor> {
    const log = this.#open(turnId);
    log.attempt = Math.max(log.attempt, attempt);
    return log.last;
  }

  async append(
    turnId: string,
    attempt: number,
    events: readonly TurnEvent[],
    before = logStart,
  ): Promise<void> {
    const [first] = events;
    const last = events.at(-1);
    if (first === undefined || last === undefined) return;
    const log = this.#open(turnId);
    if (attempt < log.attempt) throw new FencedError(turnId, attempt, log.attempt);
    const continuity = followsOn(log.last, first, last);
    const isNew = first.attempt > log.last.attempt;
    if (continuity === 'gap' || (isNew && compareCursors(log.last, before) < 0)) {
      throw new GapError(turnId, log.last);
    }
    if (continuity === 'repeated') return;
    log.events.push(...events);
    log.last = { attempt: last.attempt, seq: last.seq };
    for (const listener of log.listeners) listener.onEvents(events);
    if (last.type === 'turn.ended') this.#expire(turnId, log);
  }

  async read(turnId: string, after: EventCursor = logStart): Promise<readonly TurnEvent[]> {
    const events = this.#turns.get(turnId)?.events ?? [];
    return events.filter((event) => compareCursors(event, after) > 0);
  }

  async subscribe(turnId: string, listener: LogListener): Promise<() => void> {
    const log = this.#open(turnId);
    log.listeners.add(listener);
    return () => {
      log.listeners.delete(listener);
      this.#forgetIfEmpty(turnId, log);
    };
  }

  async remove(turnIds: readonly string[]): Promise<void> {
    for (const turnId of turnIds) {
      const log = this.#turns.get(turnId);
      if (log !== undefined) this.#clear(turnId, log);
    }
  }

  async ping(): Promise<void> {
    // The log is in this process: nothing can be away.
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
      last: logStart,
      events: [],
      listeners: new Set(),
      cancelExpiry: () => undefined,
    };
    this.#turns.set(turnId, log);
    return log;
  }

  #expire(turnId: string, log: TurnLog): void {
    log.cancelExpiry();
    log.cancelExpiry = this.clock.after(this.keptMs, () => this.#clear(turnId, log));
  }

  #clear(turnId: string, log: TurnLog): void {
    log.cancelExpiry();
    log.events = [];
    log.attempt = 0;
    log.last = logStart;
    this.#forgetIfEmpty(turnId, log);
  }

  /** Deletes an entry that only a reader of an ended turn has made. */
  #forgetIfEmpty(turnId: string, log: TurnLog): void {
    if (this.#turns.get(turnId) !== log) return;
    if (log.events.length === 0 && log.listeners.size === 0 && log.attempt === 0) {
      this.#turns.delete(turnId);
    }
  }
}
