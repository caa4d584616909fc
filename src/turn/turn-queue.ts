/**
 * Turns that wait for a worker. An entry is a wake-up, never the truth: the turn is a row, and the
 * sweeper enqueues again what was lost. Two implementations, one conformance suite.
 */
export interface TurnQueue {
  /**
   * Adds a turn, once: an id that waits or runs already stays where it is.
   *
   * @returns how many are before it; 0 when a worker is free for it.
   */
  enqueue(turnId: string): Promise<{ position: number }>;
  /** Starts to hand turns to `handler`, first come first served, a bounded number at a time. */
  consume(handler: (turnId: string) => Promise<void>): void;
  /** Turns that wait. */
  depth(): Promise<number>;
  /** Rejects when the queue does not answer. */
  ping(): Promise<void>;
  /** Hands out no more; resolves when every handler that runs has settled. */
  close(): Promise<void>;
}
