export interface TypedErrorInit {
  /** HTTP status the error stands for. */
  status: number;
  message: string;
  /** Machine-readable facts a client may show or branch on. Never secrets, never stack traces. */
  details?: unknown;
  /** Response headers that belong to the error, for example `Retry-After`. */
  headers?: Record<string, string>;
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

  constructor(type: string, init: TypedErrorInit) {
    super(init.message, init.cause === undefined ? undefined : { cause: init.cause });
    this.name = 'TypedError';
    this.type = type;
    this.status = init.status;
    this.details = init.details;
    this.headers = init.headers ?? {};
  }
}

/** The error every route gives for input it cannot take. */
export function invalidRequest(message: string, details?: unknown): TypedError {
  return new TypedError('INVALID_REQUEST', { status: 400, message, details });
}
