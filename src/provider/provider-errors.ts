import { TypedError, type CaseInit } from '../errors/typed-error.js';
import { compact } from '../platform/compact.js';
import { isPlainObject } from '../platform/json.js';
import { unlistedMaker } from './makers/maker-table.js';

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

/** Reason of a refusal by the provider, which says what to do: finer than the category. */
export const providerReasons = {
  PROMPT_TOO_LONG: {
    means: "the prompt is over the model's window",
    advice: 'Compact the session, or send less.',
  },
  REQUEST_TOO_LARGE: {
    means: "the request's body is over the provider's limit",
    advice: 'Send fewer or smaller files.',
  },
  THINKING_REFUSED: {
    means:
      'thinking that was sent back was altered, or is bound to another conversation: the server leaves it out of the next request',
    advice: undefined,
  },
  INVALID_REQUEST: {
    means:
      'the request is malformed, or has content that the provider does not take; the message says why',
    advice: undefined,
  },
  MODEL_NOT_FOUND: {
    means: 'the provider does not have the model',
    advice: 'Choose a model that the provider has.',
  },
  SPEND_LIMIT: {
    means: 'a spend limit is reached, or the credit is used up',
    advice: 'Waiting does not help: raise the limit, or add credit, at the provider.',
  },
  RAMP_LIMIT: {
    means: 'usage grew faster than the provider allows',
    advice: 'Wait, then send the turn again.',
  },
  OVERLOADED: {
    means: 'the provider has too much to do',
    advice: 'Wait, then send the turn again.',
  },
} as const;

export type ProviderErrorReason = keyof typeof providerReasons;

export interface ProviderErrorInit extends Omit<CaseInit<'SDK_FAILURE'>, 'details' | 'cause'> {
  category: ProviderErrorCategory;
  reason?: ProviderErrorReason;
  /** The maker whose error it is. Default: `anthropic`. */
  provider?: string;
  /** Details in addition to `provider` and `category`. Redacted by the caller. */
  facts?: Record<string, unknown>;
}

/** The `details` of every error of the provider. */
type ProviderErrorDetails = Record<string, unknown> & {
  provider: string;
  category: ProviderErrorCategory;
  reason?: ProviderErrorReason;
};

/**
 * An `SDK_FAILURE`. It has no `cause`: the error of a failed call may quote the key, and a logger
 * prints causes.
 */
export function providerError(init: ProviderErrorInit): TypedError {
  const { category, reason, facts, provider = 'anthropic', ...rest } = init;
  const details = { ...detailsOf(category, reason, facts), provider };
  return new TypedError('SDK_FAILURE', { ...rest, details });
}

/**
 * `MISSING_API_KEY` is the turn's pre-stream type, `SDK_FAILURE` the boot's. Both are 503.
 *
 * @param profile of a server that is not Anthropic.
 */
export function missingApiKey(
  type: 'MISSING_API_KEY' | 'SDK_FAILURE',
  profile?: string,
): TypedError {
  const variable = profile === undefined ? 'ANTHROPIC_API_KEY' : 'TURNPIKE_PROVIDER_KEY';
  const message = `No API key for the model provider${profile === undefined ? '' : ` (${profile})`}. Set ${variable} and restart, or set TURNPIKE_PROVIDER=rehearsal to try without one.`;
  const category = 'MISSING_API_KEY';
  return type === 'SDK_FAILURE'
    ? providerError({ case: 'noKey', category, message })
    : new TypedError(type, { message, details: detailsOf(category) });
}

/** The library of a cloud gave no credentials, which it had when the server started. */
export function missingCredentials(provider: string, error: unknown): TypedError {
  const why = error instanceof Error ? error.message : String(error);
  return providerError({
    case: 'unreachable',
    category: 'MISSING_API_KEY',
    provider,
    message: `The credentials of ${provider} could not be renewed: ${why.slice(0, 300)}. Send the turn again.`,
  });
}

/** Refuses a model before a stream opens: the provider would refuse every call. */
export function modelRefused(
  category: 'MODEL_NOT_FOUND' | 'MODEL_RETIRED',
  { model, useInstead }: { model: string; useInstead: string },
): TypedError {
  const why =
    category === 'MODEL_RETIRED' ? 'is retired' : 'is not among those that the provider has';
  const maker = unlistedMaker(model);
  const hint =
    maker === undefined ? '' : ` For models of ${maker}, the operator lists it in TURNPIKE_MAKERS.`;
  return providerError({
    case: 'refused',
    category,
    message: `The model "${model}" ${why}. Use ${useInstead}, or another one of GET /api/harness/models.${hint}`,
    facts: {
      ...(category === 'MODEL_NOT_FOUND' ? { upstreamStatus: 404 } : {}),
      model,
      useInstead,
    },
  });
}

/** A model of a maker that only an entry of the operator's describes. */
export function modelNotDescribed(model: string): TypedError {
  return providerError({
    case: 'refused',
    category: 'MODEL_NOT_FOUND',
    provider: model.split('/', 1)[0] ?? model,
    message: `The model "${model}" has no entry in the file of TURNPIKE_MODELS. Add one with its contextWindow, maxOutput and price: no limit holds without them.`,
    facts: { model },
  });
}

/** The server has no route that counts tokens. */
export function noCount(): TypedError {
  return providerError({
    case: 'unreadable',
    category: 'API_RESPONSE_ERROR',
    message: 'The provider counts no tokens.',
  });
}

/** Stop sequences would be dropped in silence. @param profile of the server. */
export function noStops(profile: string): TypedError {
  return providerError({
    case: 'refused',
    category: 'API_RESPONSE_ERROR',
    reason: 'INVALID_REQUEST',
    message: `Stop sequences have no effect at ${profile}, which drops them. Send the turn without them.`,
  });
}

/** The provider's stream broke the rules of its wire: nothing after that point can be trusted. */
export function malformedStream(what: string, provider?: string): TypedError {
  return providerError({
    ...compact({ provider }),
    case: 'unreadable',
    category: 'API_RESPONSE_ERROR',
    message: `The provider's stream could not be read: ${what}. Send the turn again.`,
  });
}

/** The connection was closed or lost before the message ended. */
export function streamClosedEarly(provider?: string): TypedError {
  return providerError({
    ...compact({ provider }),
    case: 'unreachable',
    category: 'NETWORK_ERROR',
    message: 'The provider closed the stream before the message ended. Send the turn again.',
  });
}

/** No answer began in time. @param provider a maker; absent: Anthropic. */
export function unanswered(provider?: string): TypedError {
  return providerError({
    ...compact({ provider }),
    case: 'timedOut',
    category: 'REQUEST_TIMEOUT',
    message: 'The provider did not answer in time. Send the turn again.',
  });
}

/** @param stalledMs how long the provider sent nothing. */
export function streamStalled(stalledMs: number, provider?: string): TypedError {
  return providerError({
    ...compact({ provider }),
    case: 'timedOut',
    category: 'REQUEST_TIMEOUT',
    message: `The provider sent nothing for ${stalledMs} ms. Send the turn again.`,
    facts: { stalledMs },
  });
}

function detailsOf(
  category: ProviderErrorCategory,
  reason?: ProviderErrorReason,
  facts: Record<string, unknown> = {},
): ProviderErrorDetails {
  return { provider: 'anthropic', category, ...compact({ reason }), ...facts };
}

/**
 * The remedy of a refused request: a shorter prompt, a prompt without the thinking of earlier
 * replies, or other content.
 */
export type RefusalKind = 'prompt-too-long' | 'thinking-bound' | 'invalid';

/**
 * The kind of a refusal for a request's content; undefined for failures that the content has no part
 * in: of the key, the account, the model's name, the network. Pure.
 *
 * @param thrown the error of a model call.
 */
export function refusalKind(thrown: unknown): RefusalKind | undefined {
  switch (providerDetails(thrown)['reason']) {
    case 'PROMPT_TOO_LONG':
      return 'prompt-too-long';
    case 'THINKING_REFUSED':
      return 'thinking-bound';
    case 'INVALID_REQUEST':
    case 'REQUEST_TOO_LARGE':
      return 'invalid';
    default:
      return undefined;
  }
}

/** The details of an error of the provider; empty for any other. */
export function providerDetails(thrown: unknown): Readonly<Record<string, unknown>> {
  if (!(thrown instanceof TypedError) || !isPlainObject(thrown.details)) return {};
  return typeof thrown.details['provider'] === 'string' ? thrown.details : {};
}
