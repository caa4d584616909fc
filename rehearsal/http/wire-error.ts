import type { ServerResponse } from 'node:http';
import { strictRules, type RuleId } from '../rules/strict-rules.js';

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

/** The API's type of error for an HTTP status of 400 and above. */
function errorTypeOf(status: number): string {
  return errorTypes.get(status) ?? (status < 500 ? 'invalid_request_error' : 'api_error');
}

/** Optional parts of an error. */
export interface ErrorFacts {
  headers?: Record<string, string>;
  /** The rule that refused the request; for tests, never sent. */
  rule?: RuleId;
  /** `error.details` of the envelope. */
  details?: ErrorDetails;
}

type ErrorDetails = { error_code: string } & Readonly<Record<string, unknown>>;

/** An error of the Messages API. */
export class WireError extends Error {
  override readonly name = 'WireError';
  /** The API's name for the status, as the envelope has it. */
  readonly type: string;

  constructor(
    readonly status: number,
    message: string,
    readonly facts: ErrorFacts = {},
  ) {
    super(message);
    this.type = errorTypeOf(status);
  }
}

/** The refusal of a request by a rule. */
export function refuse(rule: RuleId, message: string, details?: ErrorDetails): WireError {
  return new WireError(strictRules[rule].status, message, { rule, ...(details && { details }) });
}

/** The rule of a refusal; undefined for any other error. */
export function ruleOf(error: unknown): RuleId | undefined {
  return error instanceof WireError ? error.facts.rule : undefined;
}

/** A failure that a directive asks for. Default message: one that names the status. */
export interface FailureReply {
  status: number;
  message?: string;
  code?: string;
  /** The value of `retry-after`, in seconds; absent: the SDK retries at once. */
  retryAfter?: number;
}

/**
 * The error of a failure that a directive asks for. Without a `retryAfter`, its headers make the SDK
 * retry at once instead of after half a second and more.
 */
export function rehearsedFailure(failure: FailureReply): WireError {
  const { status, message = `Rehearsed failure ${status}.`, code, retryAfter } = failure;
  const headers: Record<string, string> =
    retryAfter !== undefined
      ? { 'retry-after': String(retryAfter) }
      : { 'retry-after-ms': '1', ...(status === 429 ? { 'retry-after': '0' } : {}) };
  const details = code === undefined ? undefined : { error_code: code };
  return new WireError(status, message, { headers, ...(details && { details }) });
}

/** An error as a body or an event of a stream. */
export interface WireErrorEnvelope {
  type: 'error';
  error: { type: string; message: string; details?: ErrorDetails };
  request_id: string;
}

export function errorEnvelope(error: WireError, requestId: string): WireErrorEnvelope {
  const { type, message, facts } = error;
  return {
    type: 'error',
    error: { type, message, ...(facts.details && { details: facts.details }) },
    request_id: requestId,
  };
}

interface JsonReply {
  status: number;
  body: unknown;
  headers?: Record<string, string>;
}

export function sendJson(response: ServerResponse, requestId: string, reply: JsonReply): void {
  response.writeHead(reply.status, {
    'content-type': 'application/json',
    'request-id': requestId,
    ...reply.headers,
  });
  response.end(JSON.stringify(reply.body));
}

/** Answers with an error in the API's envelope; ends the connection of a stream that has begun. */
export function sendError(response: ServerResponse, requestId: string, error: WireError): void {
  if (response.headersSent) {
    response.destroy();
    return;
  }
  sendJson(response, requestId, {
    status: error.status,
    body: errorEnvelope(error, requestId),
    headers: error.facts.headers ?? {},
  });
}
