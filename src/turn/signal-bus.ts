/**
 * Hints between processes. A hint that is lost costs latency, never correctness: what it says is
 * in the database as well, and is read with the next heartbeat.
 */
export interface SignalBus {
  /** "Somebody asked for the end of this turn." */
  publishCancel(turnId: string): Promise<void>;
  /** Hears every hint from when it resolves. @returns a function that ends it. */
  onCancel(listener: (turnId: string) => void): Promise<() => void>;
  close(): Promise<void>;
}
