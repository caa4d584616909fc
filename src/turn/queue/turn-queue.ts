/**
 * Wake-ups for workers. A wake-up says that some turn waits and has no order: whoever takes it claims the turn
 * that is to run next. Turns are rows, and the sweeper adds the wake-ups that were lost. Two implementations,
 * one conformance suite.
 */
export interface TurnQueue {
  /** Adds wake-ups, one for each turn that can be claimed from now on. One too many finds no turn. */
  wake(count: number): Promise<void>;
  /**
   * Starts to hand wake-ups out, a bounded number at a time.
   *
   * @param handler runs a turn to its end, or none. What it throws is logged: the turn still waits, and the
   *   sweeper adds another wake-up.
   */
  consume(handler: () => Promise<void>): Promise<void>;
  /** Number of wake-ups that no worker has taken. */
  depth(): Promise<number>;
  /** Processes that take wake-ups; null where their number is not known. */
  workers(): Promise<number | null>;
  /** Rejects when the queue does not answer. */
  ping(): Promise<void>;
  /** Hands out no more; resolves when every handler that runs has settled. */
  close(): Promise<void>;
}

/** Injects the `TurnQueue` of the back end. */
export const TURN_QUEUE = Symbol('TurnQueue');
