export interface TypedErrorInit {
  /** HTTP status the error stands for. */
  status: number;
  message: string;
  /** Machine-readable facts a client may show or branch on. Never secrets, never stack traces. */
  details?: unknown;
  /** Response headers that belong to the error, for example `Retry-After`. */
  headers?: Record<string, string>;
  /** Default: whether `headers` has a `Retry-After`. */
  retryable?: boolean;
  /** Default: what `Retry-After` says, where that is a number of seconds. */
  retryAfterMs?: number;
  requestId?: string;
  cause?: unknown;
}

/**
 * An error that a client may see: a stable `type`, an HTTP status, a message that says what to do.
 * Everything else that is thrown is a fault of ours and is masked at the border.
 */
export class TypedError extends Error {
  readonly type: string;
  readonly status: number;
  readonly details: unknown;
  readonly headers: Record<string, string>;
  /** Whether the same request, sent again unchanged, may be taken. */
  readonly retryable: boolean;
  /** Milliseconds to wait before that; undefined where nobody said. */
  readonly retryAfterMs: number | undefined;
  /** The id the model provider gave the request that failed, for its support. */
  readonly requestId: string | undefined;

  constructor(type: string, init: TypedErrorInit) {
    super(init.message, init.cause === undefined ? undefined : { cause: init.cause });
    this.name = 'TypedError';
    this.type = type;
    this.status = init.status;
    this.details = init.details;
    this.headers = init.headers ?? {};
    this.retryAfterMs = init.retryAfterMs ?? headerMs(this.headers);
    this.retryable = init.retryable ?? this.retryAfterMs !== undefined;
    this.requestId = init.requestId;
  }
}

function headerMs({ 'Retry-After': seconds }: Record<string, string>): number | undefined {
  return seconds !== undefined && /^\d+$/.test(seconds) ? Number(seconds) * 1_000 : undefined;
}

/** The error every route gives for input it cannot take. */
export function invalidRequest(message: string, details?: unknown): TypedError {
  return new TypedError('INVALID_REQUEST', { status: 400, message, details });
}
