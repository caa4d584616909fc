/** `recovered` turns go before all others: they have waited already. */
export type TurnPriority = 'recovered' | 'normal' | 'background';

export interface TurnHandler {
  /**
   * Runs the turn to its end, or a turn that is due before it, or leaves it to another worker.
   * Rejects when the turn is to be tried again.
   *
   * @param isRecovered it was enqueued as such.
   */
  handle(turnId: string, isRecovered: boolean): Promise<void>;
  /** The queue may have handed a turn that runs here to another worker as well. */
  onDoubt(turnId: string): void;
}

/**
 * Turns that wait for a worker. An entry is a wake-up, never the truth: the turn is a row, and the
 * sweeper enqueues again what was lost. Two implementations, one conformance suite.
 */
export interface TurnQueue {
  /**
   * Adds turns, each once: an id that waits or is handled already stays where it is. Recovered turns
   * are kept apart: the other wake-up of the same turn may be in use for another turn.
   */
  enqueue(turnIds: readonly string[], priority: TurnPriority): Promise<void>;
  /**
   * A turn's queue position, from 1; 0 when the turn does not wait. Roughly: it is the position of
   * its wake-up, and where several principals wait, wake-ups are used for whose turn it is.
   */
  position(turnId: string): Promise<number>;
  /** Starts to hand turns out, first come first served, a bounded number at a time. */
  consume(handler: TurnHandler): Promise<void>;
  /** Number of turns that wait. */
  depth(): Promise<number>;
  /** Processes that take turns from the queue; null where their number is not known. */
  workers(): Promise<number | null>;
  /** Rejects when the queue does not answer. */
  ping(): Promise<void>;
  /** Hands out no more; resolves when every handler that runs has settled. */
  close(): Promise<void>;
}

/** Injects the `TurnQueue` of the back end. */
export const TURN_QUEUE = Symbol('TurnQueue');
