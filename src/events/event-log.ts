import type { Position } from './cursor.js';
import type { TurnEvent } from './turn-event.js';

/** A write by a worker that no longer owns the turn. Nothing was written. */
export class FencedError extends Error {
  constructor(turnId: string, attempt: number, current?: number) {
    const why = current === undefined ? 'it ended or was taken over' : `attempt ${current} began`;
    super(`Attempt ${attempt} of ${turnId} was fenced off: ${why}`);
    this.name = 'FencedError';
  }
}

/** The log lacks what comes before the events: it lost its tail, or all. Nothing was written. */
export class GapError extends Error {
  constructor(
    turnId: string,
    /** The last event the log holds or held. */
    readonly last: Position,
  ) {
    super(`The log of ${turnId} ends at ${last.attempt}.${last.seq}`);
    this.name = 'GapError';
  }
}

/** Who follows a turn. */
export interface LogListener {
  /** A batch that was appended. */
  onEvents(events: readonly TurnEvent[]): void;
  /** Batches may have been missed: read again what comes after the last one. */
  onMissed(): void;
}

/**
 * The live log of turns: what readers follow while a turn runs. It may lose its tail, or all, with
 * the process that holds it; what must not be lost is in the archive as well.
 *
 * Two implementations (in memory; Redis), one conformance suite.
 */
export interface EventLog {
  /**
   * Attempt `attempt` begins: appends under lower attempts are refused from now on.
   *
   * @returns the last event the log holds.
   */
  begin(turnId: string, attempt: number): Promise<Position>;
  /**
   * Appends in order, under the fence of `attempt`, and hands them to every follower. All or
   * nothing. The events follow on the last one the log has, in one attempt; they may be an earlier
   * attempt's, to put back what the log lost. Appending again what was appended does nothing.
   *
   * @throws FencedError when a later attempt has begun; GapError when they do not follow on.
   */
  append(turnId: string, attempt: number, events: readonly TurnEvent[]): Promise<void>;
  /** The events the log still holds after a position, in order; empty when it holds none. */
  read(turnId: string, after?: Position): Promise<readonly TurnEvent[]>;
  /**
   * Follows what is appended from now on, in order.
   *
   * @returns a function that ends it.
   */
  subscribe(turnId: string, listener: LogListener): Promise<() => void>;
  /** Forgets the turn after `afterMs` milliseconds. Followers keep what they have. */
  expire(turnId: string, afterMs: number): Promise<void>;
  /** Rejects when the log does not answer. */
  ping(): Promise<void>;
  close(): Promise<void>;
}

/** Injects the `EventLog` of the back end. */
export const EVENT_LOG = Symbol('EventLog');
