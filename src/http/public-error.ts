import type { ErrorCode } from '../errors/error-table.js';
import { retryAdvice, type RetryAdvice } from '../platform/retry-advice.js';
import { TypedError } from '../errors/typed-error.js';

export interface PublicError {
  status: number;
  headers: Record<string, string>;
  body: { error: { type: ErrorCode; message: string; details?: unknown } & RetryAdvice };
}

/** The form of errors on routes whose clients do not parse `{error: …}`. */
export interface ErrorFormat {
  /** Paths of the requests that it answers, also where there is no such route. */
  paths: RegExp;
  /** @param headers of the answer, its `Content-Type` among them. */
  write(
    error: PublicError,
    path: string,
  ): { status: number; headers: Record<string, string>; body: object };
}

/**
 * What a client is told of whatever was thrown. A `TypedError` is meant for it; anything else is a
 * fault of ours, whose text may hold paths, queries or keys: it is logged under `correlationId`
 * and masked here.
 */
export function toPublicError(thrown: unknown, correlationId: string): PublicError {
  const error =
    thrown instanceof TypedError
      ? thrown
      : new TypedError('SDK_FAILURE', {
          message: `Unexpected harness runtime error. The server's log has it under ${correlationId}.`,
          details: { correlationId },
        });
  const { type, message, details } = error;
  return {
    status: error.status,
    headers: error.headers,
    body: {
      error: {
        type,
        message,
        ...(details === undefined ? {} : { details }),
        ...retryAdvice(error),
      },
    },
  };
}
