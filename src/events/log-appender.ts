import { untilAborted } from '../platform/abort.js';
import { pause, type Clock } from '../platform/clock.js';
import type { Position } from './cursor.js';
import { FencedError, GapError, type EventLog } from './event-log.js';
import { restoreLog } from './restore-log.js';
import type { TurnEvent } from './turn-event.js';

/** Stored events that wait for the log. Above it they are dropped, and read from the archive. */
const MOST_WAITING = 1_000;

/** Between two tries of an append that failed. */
const RETRY_MS = 250;

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

  async #append(events: readonly TurnEvent[]): Promise<void> {
    const { log, clock, turnId, attempt } = this.deps;
    let end: Position | undefined;
    while (!this.#closed) {
      try {
        if (end === undefined) await log.append(turnId, attempt, events);
        else await restoreLog(log, { turnId, attempt }, await this.#known(events), end);
        return;
      } catch (error) {
        if (error instanceof FencedError) throw error;
        if (!(error instanceof GapError) || end !== undefined) {
          this.deps.onProblem(error);
          await pause(clock, RETRY_MS);
        }
        if (error instanceof GapError) end = error.last;
      }
    }
  }

  async #known(events: readonly TurnEvent[]): Promise<TurnEvent[]> {
    // In this order: what is archived while the archive is read is in both, not in neither.
    const unarchived = [...this.deps.unarchived()];
    return [...(await this.deps.archived()), ...unarchived, ...events];
  }
}
