export interface RefusalFacts {
  status: number;
  message: string;
  retryable: boolean;
  retryAfterMs?: number | undefined;
  requestId?: string | undefined;
  details?: unknown;
}

/** The server refused the request. */
export class TurnpikeError extends Error {
  /** Stable, for programs: `TURN_IN_PROGRESS`; `HTTP_502` where a gateway answered. */
  readonly code: string;
  readonly status: number;
  /** Whether the same request may work later, with nothing changed. */
  readonly retryable: boolean;
  /** Milliseconds from the answer after which the server wants the next try. */
  readonly retryAfterMs: number | undefined;
  /** The model provider's id of its request. */
  readonly requestId: string | undefined;
  /** Structured facts beside the message; for preferences, the fault of each field. */
  readonly details: unknown;

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

/** Whether the same request would fail again. */
export function isFinal(error: unknown): boolean {
  return error instanceof TurnpikeError && error.status < 500 && !error.retryable;
}

/**
 * The server was not reached, or was silent for too long. The request may have taken effect all the
 * same.
 */
export class ConnectionLostError extends Error {
  readonly url: string;
  /** The turn that was being read: it may go on, and can be followed again. */
  readonly turnId: string | undefined;
  /** The last event that was received: pass it as `after`. */
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
