import { compact } from '../../platform/compact.js';
import type { ErrorCode } from '../../errors/error-table.js';
import { retryAdvice, type RetryAdvice } from '../../platform/retry-advice.js';
import { TypedError } from '../../errors/typed-error.js';
import { ValidationDetailError, type ValidationProblem } from './word-faults.js';

export interface PublicError {
  status: number;
  headers: Record<string, string>;
  body: {
    error: {
      type: ErrorCode;
      message: string;
      details?: unknown;
      correlationId: string;
    } & RetryAdvice;
  };
  /** Every fault of the request, where the error lists them. */
  faults?: readonly ValidationProblem[];
}

/**
 * The client's view of a thrown error. A `TypedError` is meant for clients; anything else is the
 * server's own fault, whose text may contain paths, queries or keys: it is logged and masked here.
 *
 * @param correlationId the id of the request, under which its log lines are.
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
    ...(error instanceof ValidationDetailError ? { faults: error.detail } : {}),
    body: {
      error: {
        type,
        message,
        ...compact({ details }),
        ...retryAdvice(error),
        correlationId,
      },
    },
  };
}
