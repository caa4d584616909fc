import type { Clock } from '../platform/clock.js';
import { retry, type RetryDelays, withTimeout } from '../platform/async/deadlines.js';
import type { EventCursor } from './cursor.js';
import { FencedError, GapError, type EventLog } from './event-log.js';
import { restoreLog } from './archive.js';
import type { TurnEvent } from './turn-event.js';

/** Stored events kept for the log. Above it they are dropped, and loaded from the archive. */
const MAX_READY_EVENTS = 1_000;

/** The delays between the tries of an append that failed. */
const retryDelays: RetryDelays = { firstMs: 250, maxMs: 250 };

export interface LogAppenderDeps {
  log: EventLog;
  turnId: string;
  attempt: number;
  /** The last event that earlier attempts archived: the log lost it where it ends before. */
  before: EventCursor;
  source: EventSource;
  /** Loads the turn's archived events. */
  loadArchived(): Promise<readonly TurnEvent[]>;
  observer: LogObserver;
  clock: Clock;
}

/** Where events for the log come from: the attempt's writer, who decides when they may go. */
export interface EventSource {
  /** @returns the events emitted since the last call that may go to the log now. */
  next(): readonly TurnEvent[];
  /** @returns the events that the log was given and the archive does not have, in an array of their own. */
  unarchived(): readonly TurnEvent[];
}

/** Called back about appends that fail. */
export interface LogObserver {
  /** Called for each append that the log refused and that is tried again. */
  onLogError(error: unknown): void;
  /** Called once, when the attempt was fenced. Nothing is appended after that. */
  onFailure(error: unknown): void;
}

/**
 * Feeds an attempt's events from their source to the log, one append at a time, in order. An append to a log that does
 * not answer is tried again, at bounded memory; a log that lost its tail or all is restored.
 */
export class LogAppender {
  #ready: TurnEvent[] = [];
  #pumping = false;
  #closed = false;
  /** Resolves when the last run of the pump is over. */
  #pumped: Promise<void> = Promise.resolve();

  constructor(private readonly deps: LogAppenderDeps) {}

  /** Appends events that are stored. */
  push(events: readonly TurnEvent[]): void {
    // The append after what is dropped here finds the gap, and fills it from the archive.
    if (this.#ready.length > MAX_READY_EVENTS) this.#ready = [];
    this.#ready.push(...events);
    this.pull();
  }

  /** Appends what `next` returns, unless an append is in flight, which will ask for it. */
  pull(): void {
    if (!this.#pumping) this.#pumped = this.#pump();
  }

  /** Resolves when everything is appended. After `ms` what is not is given up. */
  async flush(ms: number): Promise<void> {
    if (!this.#pumping) return;
    if (!(await withTimeout(ms, this.#pumped, this.deps.clock))) this.#closed = true;
  }

  async #pump(): Promise<void> {
    this.#pumping = true;
    try {
      for (let events = this.#take(); events.length > 0; events = this.#take()) {
        try {
          await this.#append(events);
        } catch (error) {
          await this.#appendAgain(events, error);
        }
      }
    } catch (error) {
      this.#ready = [];
      this.deps.observer.onFailure(error);
    } finally {
      this.#pumping = false;
    }
  }

  /** Takes what may go to the log; none once it was given up. */
  #take(): readonly TurnEvent[] {
    const ready = this.#ready;
    const next = this.deps.source.next();
    if (this.#closed) return [];
    if (ready.length === 0) return next;
    this.#ready = [];
    return [...ready, ...next];
  }

  #append(events: readonly TurnEvent[]): Promise<void> {
    const { log, turnId, attempt, before } = this.deps;
    return log.append(turnId, attempt, events, before);
  }

  /** @param failure of the first try. */
  #appendAgain(events: readonly TurnEvent[], failure: unknown): Promise<void> {
    const { log, clock, turnId, attempt } = this.deps;
    const mayRetry = (error: unknown): boolean => {
      if (error instanceof FencedError) return false;
      this.deps.observer.onLogError(error);
      return true;
    };
    return retry(clock, { ...retryDelays, mayRetry }, async (failures) => {
      if (this.#closed) return;
      try {
        if (failures === 0) throw failure;
        await this.#append(events);
      } catch (error) {
        if (!(error instanceof GapError)) throw error;
        await restoreLog(log, { turnId, attempt }, await this.#known(events), error.last);
      }
    });
  }

  async #known(events: readonly TurnEvent[]): Promise<TurnEvent[]> {
    // The archive second: an event that is archived meanwhile is then in both, not in neither.
    const unarchived = this.deps.source.unarchived();
    return [...(await this.deps.loadArchived()), ...unarchived, ...events];
  }
}
