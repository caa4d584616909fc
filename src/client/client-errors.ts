export interface RefusalFacts {
  status: number;
  message: string;
  retryable: boolean;
  retryAfterMs?: number | undefined;
  requestId?: string | undefined;
  details?: unknown;
}

/** The server answered, and the answer is no. */
export class TurnpikeError extends Error {
  /** Stable, for programs: `TURN_IN_PROGRESS`; `HTTP_502` where something else answered. */
  readonly code: string;
  readonly status: number;
  /** Whether the same request may work later, with nothing changed. */
  readonly retryable: boolean;
  /** When the server said to come again, in milliseconds from its answer. */
  readonly retryAfterMs: number | undefined;
  /** The model provider's, of the request that failed. */
  readonly requestId: string | undefined;
  /** Facts beside the message; of settings, what is wrong with each field. */
  readonly details: unknown;

  /** @param facts its message says what to do. */
  constructor(code: string, facts: RefusalFacts) {
    super(facts.message);
    this.name = 'TurnpikeError';
    this.code = code;
    this.status = facts.status;
    this.retryable = facts.retryable;
    this.retryAfterMs = facts.retryAfterMs;
    this.requestId = facts.requestId;
    this.details = facts.details;
  }
}

/** The server did not answer, or not for too long. What it was asked to do may be done. */
export class ConnectionLostError extends Error {
  readonly url: string;
  /** Of a turn that was read: it may go on, and can be followed again. */
  readonly turnId: string | undefined;
  /** The last event that was received: follow the turn after it. */
  readonly lastEventId: string | undefined;

  constructor(
    message: string,
    facts: { url: string; cause: unknown; turnId?: string; lastEventId?: string | undefined },
  ) {
    super(message, { cause: facts.cause });
    this.name = 'ConnectionLostError';
    this.url = facts.url;
    this.turnId = facts.turnId;
    this.lastEventId = facts.lastEventId;
  }
}
