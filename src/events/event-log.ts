import type { EventCursor } from './cursor.js';
import type { TurnEvent } from './turn-event.js';

/** Refuses a write of a worker that no longer owns the turn. Nothing was written. */
export class FencedError extends Error {
  constructor(turnId: string, attempt: number, current?: number) {
    const why = current === undefined ? 'it ended or was taken over' : `attempt ${current} began`;
    super(`Attempt ${attempt} of ${turnId} was fenced off: ${why}`);
    this.name = 'FencedError';
  }
}

/** Refuses events that do not follow on the log's last one: it lost its tail, or all. Nothing was written. */
export class GapError extends Error {
  constructor(
    turnId: string,
    /** The last event the log has, or had before its oldest were deleted. */
    readonly last: EventCursor,
  ) {
    super(`The log of ${turnId} ends at ${last.attempt}.${last.seq}`);
    this.name = 'GapError';
  }
}

/** Time by which a log outlives its turn, in ms; the archive has its events for good. */
export const LOG_KEPT_MS = 60_000;

/** A subscriber to a turn's log. */
export interface LogListener {
  /** Called with each batch that was appended. */
  onEvents(events: readonly TurnEvent[]): void;
  /** Called when batches may have been missed: read again after the last event received. */
  onMissed(): void;
}

/**
 * The live log of turns, which readers follow while a turn runs. It may lose its tail, or all, with
 * the process it is in; events that must not be lost are in the archive as well.
 *
 * Two implementations (in memory; Redis), one conformance suite.
 */
export interface EventLog {
  /**
   * Begins an attempt: from now on appends of lower attempts are refused.
   *
   * @returns the cursor of the log's last event.
   */
  begin(turnId: string, attempt: number): Promise<EventCursor>;
  /**
   * Appends events in order, under the fence of `attempt`, all or none, and publishes them. They
   * follow on the log's last event and are of one attempt, which may be an earlier one, to put back
   * what the log lost. Events that the log has already are not appended again. A log that got its
   * turn's end is deleted `LOG_KEPT_MS` later.
   *
   * @param before the last event of earlier attempts that must not be missing before the first event of
   *   an attempt; default: none.
   * @throws FencedError when a later attempt has begun; GapError when they do not follow on.
   */
  append(
    turnId: string,
    attempt: number,
    events: readonly TurnEvent[],
    before?: EventCursor,
  ): Promise<void>;
  /** @returns the events that the log still has after a cursor, in order. */
  read(turnId: string, after?: EventCursor): Promise<readonly TurnEvent[]>;
  /**
   * Calls the listener with what is appended from now on, in order.
   *
   * @returns a function that ends the subscription.
   */
  subscribe(turnId: string, listener: LogListener): Promise<() => void>;
  /** Deletes the logs of turns that have ended, before their time. */
  remove(turnIds: readonly string[]): Promise<void>;
  /** Tries a write, which leaves nothing. Rejects when the log takes none, or does not answer. */
  ping(): Promise<void>;
  close(): Promise<void>;
}

/** Injects the `EventLog` of the back end. */
export const EVENT_LOG = Symbol('EventLog');
