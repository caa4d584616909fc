import { compact } from '../platform/compact.js';
import { TypedError } from '../errors/typed-error.js';

export type ProviderErrorCategory =
  | 'MISSING_API_KEY'
  | 'INVALID_API_KEY'
  | 'RATE_LIMITED'
  | 'API_RESPONSE_ERROR'
  | 'REQUEST_TIMEOUT'
  | 'NETWORK_ERROR'
  | 'INVALID_BASE_URL'
  | 'MODEL_NOT_FOUND'
  | 'MODEL_RETIRED'
  | 'NETWORK_POLICY_VIOLATION';

/** Why the provider refused a request, where that is known: finer than the category. */
export type ProviderErrorReason =
  /** The prompt is over the model's window. */
  | 'PROMPT_TOO_LONG'
  /** Thinking that was sent back is refused: altered, or bound to another conversation. */
  | 'THINKING_REFUSED'
  /** The request is malformed, or has content that the provider does not take. */
  | 'INVALID_REQUEST'
  /** The body is over the provider's limit. */
  | 'REQUEST_TOO_LARGE'
  | 'MODEL_NOT_FOUND'
  /** A spend limit is reached, or the credit is used up. Waiting does not help. */
  | 'SPEND_LIMIT'
  /** Usage grew faster than the provider allows. Waiting helps. */
  | 'RAMP_LIMIT'
  | 'OVERLOADED';

export interface ProviderErrorInit {
  status: number;
  category: ProviderErrorCategory;
  reason?: ProviderErrorReason;
  message: string;
  /** Details beside `provider` and `category`. Redacted by the caller. */
  facts?: Record<string, unknown>;
  headers?: Record<string, string>;
  /** Default: false. */
  retryable?: boolean;
  retryAfterMs?: number;
  requestId?: string;
}

/** The `details` of every error of the provider. */
type ProviderErrorDetails = Record<string, unknown> & {
  provider: 'anthropic';
  category: ProviderErrorCategory;
  reason?: ProviderErrorReason;
};

/**
 * An `SDK_FAILURE`. It has no `cause`: the error of a failed call may quote the key, and a logger
 * prints causes.
 */
export function providerError(init: ProviderErrorInit): TypedError {
  return typedError('SDK_FAILURE', init);
}

/** `MISSING_API_KEY` is the turn's pre-stream type, `SDK_FAILURE` the boot's. Both are 503. */
export function missingApiKey(type: 'MISSING_API_KEY' | 'SDK_FAILURE'): TypedError {
  return typedError(type, {
    status: 503,
    category: 'MISSING_API_KEY',
    message:
      'No API key for the model provider. Set ANTHROPIC_API_KEY and restart, or set TURNPIKE_PROVIDER=rehearsal to try without one.',
  });
}

/** Refuses a model before a stream opens: the provider would refuse every call. */
export function modelRefused(
  category: 'MODEL_NOT_FOUND' | 'MODEL_RETIRED',
  { model, useInstead }: { model: string; useInstead: string },
): TypedError {
  const why =
    category === 'MODEL_RETIRED' ? 'is retired' : 'is not among those that the provider has';
  return providerError({
    status: 400,
    category,
    message: `The model "${model}" ${why}. Use ${useInstead}, or another one of GET /api/harness/models.`,
    facts: {
      ...(category === 'MODEL_NOT_FOUND' ? { upstreamStatus: 404 } : {}),
      model,
      useInstead,
    },
  });
}

/** The provider's stream broke the rules of its wire: nothing after that point can be trusted. */
export function malformedStream(what: string): TypedError {
  return providerError({
    status: 502,
    category: 'API_RESPONSE_ERROR',
    message: `The provider's stream could not be read: ${what}. Send the turn again.`,
    retryable: true,
  });
}

/** The provider's stream has a value that this version does not know. A retry would get it again. */
export function unknownValue(what: string): TypedError {
  return providerError({
    status: 502,
    category: 'API_RESPONSE_ERROR',
    message: `The provider's stream could not be read: ${what}. Update Turnpike, or choose another model.`,
    retryable: false,
  });
}

/** The connection was closed or lost before the message ended. */
export function streamClosedEarly(): TypedError {
  return providerError({
    status: 503,
    category: 'NETWORK_ERROR',
    message: 'the provider closed the stream before the message ended',
    retryable: true,
  });
}

/** @param stalledMs how long the provider sent nothing. */
export function streamStalled(stalledMs: number): TypedError {
  return providerError({
    status: 504,
    category: 'REQUEST_TIMEOUT',
    message: `The provider sent nothing for ${stalledMs} ms. Send the turn again.`,
    facts: { stalledMs },
    retryable: true,
  });
}

function typedError(type: string, init: ProviderErrorInit): TypedError {
  const { status, category, reason, message, facts, ...rest } = init;
  const details: ProviderErrorDetails = {
    provider: 'anthropic',
    category,
    ...compact({ reason }),
    ...facts,
  };
  return new TypedError(type, { retryable: false, ...rest, status, message, details });
}
