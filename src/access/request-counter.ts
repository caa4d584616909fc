/** Length of a counting window, in ms. */
export const COUNT_MS = 60_000;

export interface Count {
  /** Requests of the window, this one included. */
  requests: number;
  /** Milliseconds until the window ends. */
  restMs: number;
}

/** Counts requests by principal. Never rejects because a store is away. */
export interface RequestCounter {
  count(principalId: string): Promise<Count>;
  /** Forgets the requests of a principal. Rejects when a store is away. */
  forget(principalId: string): Promise<void>;
}

/** Injects the `RequestCounter` of the back end. */
export const REQUEST_COUNTER = Symbol('RequestCounter');
