/**
 * Turns that wait for a worker. An entry is a wake-up, never the truth: the turn is a row, and the
 * sweeper enqueues again what was lost. Two implementations, one conformance suite.
 */
export interface TurnQueue {
  /**
   * Adds a turn, once: an id that waits or runs already stays where it is.
   *
   * @returns its place in the line, from 1; 0 when a worker is free for it or has it.
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
