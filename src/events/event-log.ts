import type { TurnEvent } from './turn-event.js';

/** A write by a worker that no longer owns the turn. Nothing was written. */
export class FencedError extends Error {
  constructor(turnId: string, attempt: number, current: number) {
    super(`Attempt ${attempt} of ${turnId} was fenced off: attempt ${current} has begun`);
    this.name = 'FencedError';
  }
}

/**
 * The live log of turns: what readers follow while a turn runs. It may lose its tail with the
 * process that holds it; what must not be lost is in the archive as well.
 *
 * Two implementations (in memory; Redis), one conformance suite.
 */
export interface EventLog {
  /** Attempt `attempt` begins: appends of lower attempts are refused from now on. */
  begin(turnId: string, attempt: number): Promise<void>;
  /**
   * Appends in order and hands them to every follower. All or nothing.
   *
   * @throws FencedError when a later attempt has begun.
   */
  append(turnId: string, attempt: number, events: readonly TurnEvent[]): Promise<void>;
  /** Every event the log still holds, in order; empty when it holds none. */
  read(turnId: string): Promise<readonly TurnEvent[]>;
  /**
   * Calls `listener` with each batch appended from now on, in order.
   *
   * @returns a function that ends it.
   */
  subscribe(turnId: string, listener: (events: readonly TurnEvent[]) => void): Promise<() => void>;
  /** Forgets the turn after `afterMs` milliseconds. Followers keep what they have. */
  expire(turnId: string, afterMs: number): Promise<void>;
  /** Rejects when the log does not answer. */
  ping(): Promise<void>;
  close(): Promise<void>;
}
