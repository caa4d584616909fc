/** A function that ends what it was returned for. */
export type StopListening = () => void;

/**
 * Hints between processes. A hint that is lost costs latency, never correctness: its cause is in
 * the database as well, and is found with the next heartbeat.
 */
export interface SignalBus {
  /** "Somebody asked for the end of this turn." */
  publishCancel(turnId: string): Promise<void>;
  /** Listens to every hint from when it resolves. */
  onCancel(listener: (turnId: string) => void): Promise<StopListening>;
  /** "Store now who reads here: turns seem to have no readers any more." */
  publishReaderCheck(): Promise<void>;
  /** Listens to every such hint from when it resolves. */
  onReaderCheck(listener: () => void): Promise<StopListening>;
  close(): Promise<void>;
}

/** Injects the `SignalBus` of the back end. */
export const SIGNAL_BUS = Symbol('SignalBus');
