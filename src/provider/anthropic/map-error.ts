import { APIConnectionError, APIConnectionTimeoutError, APIError } from '@anthropic-ai/sdk';
import { isPlainObject } from '../../platform/json.js';
import { TypedError } from '../../platform/typed-error.js';
import { policyViolation } from '../egress-policy.js';
import { providerError } from '../provider-errors.js';
import type { ProviderErrorCategory } from '../provider-errors.js';
import { describeCauses, hasTimeoutCode } from './describe-causes.js';

type Redact = (text: string) => string;

/** Long enough for any sentence, too short for a gateway's error page. */
const MAX_MESSAGE_LENGTH = 500;

/** The provider said `error` in its stream. Thrown by the fold, mapped like every other failure. */
export class StreamErrorEvent extends Error {
  /** @param body the event: `{type: "error", error: {type, message}, request_id?}` */
  constructor(readonly body: Record<string, unknown>) {
    super('The provider sent an error event');
    this.name = 'StreamErrorEvent';
  }
}

/** The status a type of error has when it is the answer to a request. */
const STATUS_OF_TYPE: Readonly<Record<string, number>> = {
  invalid_request_error: 400,
  authentication_error: 401,
  billing_error: 402,
  permission_error: 403,
  not_found_error: 404,
  conflict_error: 409,
  request_too_large: 413,
  rate_limit_error: 429,
  api_error: 500,
  timeout_error: 504,
  overloaded_error: 529,
};

const ADVICE: Readonly<Partial<Record<ProviderErrorCategory, string>>> = {
  INVALID_API_KEY: 'Check ANTHROPIC_API_KEY, then restart.',
  RATE_LIMITED: 'Wait, then send the turn again.',
};

/**
 * Any failure of a model call as an `SDK_FAILURE` whose details are `{provider, category}` and,
 * where known, `upstreamType`, `requestId`, `cause`. First match wins:
 *
 * - one of ours already (also as a cause: the SDK wraps what its fetch throws): itself
 * - an `error` event: the status of its type or 502, `API_RESPONSE_ERROR`
 * - a timer of the SDK or of the socket: 504 `REQUEST_TIMEOUT`
 * - a redirect: 400 `NETWORK_POLICY_VIOLATION`
 * - 401, 403: as upstream, `INVALID_API_KEY`; 429: `RATE_LIMITED`; other: `API_RESPONSE_ERROR`
 * - anything else: 503 `NETWORK_ERROR`
 */
export function mapError(error: unknown, redact: Redact): TypedError {
  const own = ownError(error);
  if (own !== undefined) return own;
  if (error instanceof StreamErrorEvent) return mapErrorEvent(error.body, redact);
  if (error instanceof APIConnectionTimeoutError || hasTimeoutCode(error)) {
    return providerError({
      status: 504,
      category: 'REQUEST_TIMEOUT',
      message: 'The provider did not answer in time. Send the turn again.',
    });
  }
  if (error instanceof APIError && error.status !== undefined) {
    return mapStatus(error, error.status, redact);
  }
  return providerError({
    status: 503,
    category: 'NETWORK_ERROR',
    message: 'The provider could not be reached, or the connection broke. Send the turn again.',
    facts: { cause: shorten(redact(describeCauses(error))) },
  });
}

/**
 * A failed check of a model. What the provider refused is 500 with `upstreamStatus` in the details;
 * where no answer came it is what `mapError` says.
 */
export function mapRefusal(error: unknown, model: string, redact: Redact): TypedError {
  const mapped = mapError(error, redact);
  if (!(error instanceof APIError) || error.status === undefined) return mapped;
  const advice =
    error.status === 404 ? ` Choose a model that the provider has, not "${model}".` : '';
  return new TypedError('SDK_FAILURE', {
    status: 500,
    message: mapped.message + advice,
    details: {
      ...(isPlainObject(mapped.details) ? mapped.details : {}),
      upstreamStatus: error.status,
    },
  });
}

function mapStatus(error: APIError, status: number, redact: Redact): TypedError {
  if (status < 400) {
    return policyViolation('The provider answered with a redirect, which is never followed', {
      upstreamStatus: status,
    });
  }
  const category = categoryOf(status, error.type);
  const said = shorten(redact(error.apiMessage ?? error.message));
  const retryAfter = error.headers?.get('retry-after') ?? '';
  return providerError({
    status,
    category,
    message: sentence(`The provider answered ${status}`, said, ADVICE[category]),
    facts: {
      ...(error.type === null ? {} : { upstreamType: redact(error.type) }),
      ...(error.requestID ? { requestId: redact(error.requestID) } : {}),
    },
    ...(/^\d{1,6}$/.test(retryAfter) ? { headers: { 'Retry-After': retryAfter } } : {}),
  });
}

function mapErrorEvent(body: Record<string, unknown>, redact: Redact): TypedError {
  const error = isPlainObject(body['error']) ? body['error'] : {};
  const type = typeof error['type'] === 'string' ? error['type'] : undefined;
  const said =
    typeof error['message'] === 'string' ? error['message'] : (type ?? 'no reason given');
  const requestId = body['request_id'];
  const known = type !== undefined && Object.hasOwn(STATUS_OF_TYPE, type);
  return providerError({
    status: (known ? STATUS_OF_TYPE[type] : undefined) ?? 502,
    category: 'API_RESPONSE_ERROR',
    message: sentence('The provider ended its stream with an error', shorten(redact(said))),
    facts: {
      ...(type === undefined ? {} : { upstreamType: redact(type) }),
      ...(typeof requestId === 'string' ? { requestId: redact(requestId) } : {}),
    },
  });
}

function categoryOf(status: number, type: string | null): ProviderErrorCategory {
  if (status === 401 || status === 403 || type === 'authentication_error') return 'INVALID_API_KEY';
  return status === 429 ? 'RATE_LIMITED' : 'API_RESPONSE_ERROR';
}

function ownError(error: unknown): TypedError | undefined {
  if (error instanceof TypedError) return error;
  return error instanceof APIConnectionError && error.cause instanceof TypedError
    ? error.cause
    : undefined;
}

function sentence(head: string, said: string, advice?: string): string {
  const stop = /[.!?…]$/.test(said) ? '' : '.';
  return `${head}: ${said}${stop}${advice === undefined ? '' : ` ${advice}`}`;
}

function shorten(text: string): string {
  return text.length <= MAX_MESSAGE_LENGTH ? text : `${text.slice(0, MAX_MESSAGE_LENGTH)}…`;
}
