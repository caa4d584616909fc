/** A span of time in which requests are counted, in ms. */
export const COUNT_MS = 60_000;

export interface Count {
  /** Requests of this span, this one among them. */
  requests: number;
  /** Until the span ends, in ms. */
  restMs: number;
}

/** Counts requests by whom they come from. Never rejects because a store is away. */
export interface RequestCounter {
  count(principalId: string): Promise<Count>;
}

/** Injects the `RequestCounter` of the back end. */
export const REQUEST_COUNTER = Symbol('RequestCounter');
