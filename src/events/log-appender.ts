import { untilAborted } from '../platform/abort.js';
import type { Clock } from '../platform/clock.js';
import { retry, type RetryDelays } from '../platform/retry.js';
import { FencedError, GapError, type EventLog } from './event-log.js';
import { restoreLog } from './restore-log.js';
import type { TurnEvent } from './turn-event.js';

/** Stored events that wait for the log. Above it they are dropped, and read from the archive. */
const MOST_WAITING = 1_000;

/** The delays between the tries of an append that failed. */
const retryDelays: RetryDelays = { firstMs: 250, maxMs: 250 };

export interface LogAppenderDeps {
  log: EventLog;
  turnId: string;
  attempt: number;
  /** What was said since, and may go out now. */
  next(): readonly TurnEvent[];
  /** What went out and is not in the archive. */
  unarchived(): readonly TurnEvent[];
  archived(): Promise<readonly TurnEvent[]>;
  /** The attempt was fenced. */
  onFailure(error: unknown): void;
  /** The log did not take something; it is offered again. */
  onProblem(error: unknown): void;
  clock: Clock;
}

/**
 * Feeds an attempt's events to the log, one append at a time, in order. A log that does not answer
 * is waited for at bounded memory; one that comes back with its tail or all of it lost is given
 * what it lacks.
 */
export class LogAppender {
  #ready: TurnEvent[] = [];
  #pumping = false;
  #closed = false;
  #settled: (() => void)[] = [];

  constructor(private readonly deps: LogAppenderDeps) {}

  /** Events that are stored. */
  push(events: readonly TurnEvent[]): void {
    // The append after what is dropped here finds the gap, and fills it from the archive.
    if (this.#ready.length > MOST_WAITING) this.#ready = [];
    this.#ready.push(...events);
    this.pull();
  }

  /** There may be something to send. */
  pull(): void {
    if (!this.#pumping) void this.#pump();
  }

  /** Resolves when nothing waits. When `signal` aborts before, what waits is given up. */
  async flush(signal: AbortSignal): Promise<void> {
    if (!this.#pumping || signal.aborted) return;
    const settled = new Promise<void>((resolve) => this.#settled.push(resolve));
    try {
      await untilAborted(settled, signal);
    } catch (error) {
      this.#closed = true;
      if (!signal.aborted) throw error;
    }
  }

  async #pump(): Promise<void> {
    this.#pumping = true;
    try {
      for (;;) {
        const events = [...this.#ready.splice(0), ...this.deps.next()];
        if (events.length === 0) break;
        await this.#append(events);
      }
    } catch (error) {
      this.#ready = [];
      this.deps.onFailure(error);
    } finally {
      this.#pumping = false;
      for (const resolve of this.#settled.splice(0)) resolve();
    }
  }

  #append(events: readonly TurnEvent[]): Promise<void> {
    const { log, clock, turnId, attempt, onProblem } = this.deps;
    const mayRetry = (error: unknown): boolean => {
      if (error instanceof FencedError) return false;
      onProblem(error);
      return true;
    };
    return retry(clock, { ...retryDelays, mayRetry }, async () => {
      if (this.#closed) return;
      try {
        await log.append(turnId, attempt, events);
      } catch (error) {
        if (!(error instanceof GapError)) throw error;
        await restoreLog(log, { turnId, attempt }, await this.#known(events), error.last);
      }
    });
  }

  async #known(events: readonly TurnEvent[]): Promise<TurnEvent[]> {
    // In this order: what is archived while the archive is read is in both, not in neither.
    const unarchived = [...this.deps.unarchived()];
    return [...(await this.deps.archived()), ...unarchived, ...events];
  }
}
