import { TypedError } from '../platform/typed-error.js';
import type { WireErrorEnvelope } from './stream-types.js';

const errorTypes: ReadonlyMap<number, string> = new Map([
  [400, 'invalid_request_error'],
  [401, 'authentication_error'],
  [402, 'billing_error'],
  [403, 'permission_error'],
  [404, 'not_found_error'],
  [408, 'timeout_error'],
  [409, 'conflict_error'],
  [413, 'request_too_large'],
  [429, 'rate_limit_error'],
  [500, 'api_error'],
  [504, 'timeout_error'],
  [529, 'overloaded_error'],
]);

/** The API's name for an HTTP status of 400 and above. */
function errorTypeOf(status: number): string {
  return errorTypes.get(status) ?? (status < 500 ? 'invalid_request_error' : 'api_error');
}

/** An error in the words of the Messages API: its `type` is what the envelope says. */
export function wireError(
  status: number,
  message: string,
  headers: Record<string, string> = {},
): TypedError {
  return new TypedError(errorTypeOf(status), { status, message, headers });
}

/** The API's 400, for a request that no retry will cure. */
export function refuse(message: string): TypedError {
  return wireError(400, message);
}

/**
 * A failure that a directive asked for. Its headers keep the SDK's retries from waiting for its
 * own back-off of half a second and more.
 */
export function rehearsedFailure(status: number): TypedError {
  return wireError(status, `Rehearsed failure ${status}.`, {
    'retry-after-ms': '1',
    ...(status === 429 ? { 'retry-after': '0' } : {}),
  });
}

export function errorEnvelope(error: TypedError, requestId: string): WireErrorEnvelope {
  return {
    type: 'error',
    error: { type: error.type, message: error.message },
    request_id: requestId,
  };
}
