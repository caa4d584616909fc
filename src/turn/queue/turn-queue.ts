/**
 * Tokens for workers. A token says that something waits, and has no order: whoever takes it claims the turns that
 * are to run next, for all slots that are free. Turns are rows, and the sweeper adds a token where one was lost.
 * Two implementations, one conformance suite.
 */
export interface TurnQueue {
  /** Adds a token for the turns that can be claimed from now on, any number of them. */
  wake(): Promise<void>;
  /**
   * Starts to hand tokens out, one at a time: no other comes before `handler` has settled.
   *
   * @param handler claims the turns that wait. What it throws is logged: the turns still wait, and the sweeper
   *   adds another token.
   */
  consume(handler: () => Promise<void>): Promise<void>;
  /** Number of tokens that no worker has taken. */
  depth(): Promise<number>;
  /** Processes that take tokens; null where their number is not known. */
  workers(): Promise<number | null>;
  /** Rejects when the queue does not answer. */
  ping(): Promise<void>;
  /** Hands out no more; resolves when a handler that runs has settled. */
  close(): Promise<void>;
}

/** Injects the `TurnQueue` of the back end. */
export const TURN_QUEUE = Symbol('TurnQueue');
