import { compact } from '../../platform/compact.js';
import { isPlainObject } from '../../platform/json.js';
import { retryAdvice, retryAfterMs } from '../../platform/retry-advice.js';
import { TypedError } from '../../errors/typed-error.js';
import {
  providerError,
  providerReasons,
  unanswered,
  type ProviderErrorCategory,
} from '../provider-errors.js';
import { namedBlocks } from '../named-blocks.js';
import { withCauses } from '../../platform/error-code.js';
import { policyViolation } from './check-egress.js';
import type { RequestProfile } from './request-profile.js';
import { judgeAnswer, type ErrorAnswer } from './judge-answer.js';
import { asApiAnswer, isConnectionTimeout, readAnswer, type ApiAnswer } from './sdk-error.js';

type Redact = (text: string) => string;

/** Longest text of an error: enough for a sentence, too short for a gateway's page. */
const MAX_MESSAGE_LENGTH = 500;

/** Whose error it is, and the settings that have the address and the key. */
export interface ErrorSource {
  provider: string;
  setting: string;
  /** Absent: those of Anthropic. */
  credentials?: string;
}

const messagesApi: ErrorSource = { provider: 'anthropic', setting: 'TURNPIKE_PROVIDER_BASE_URL' };

/** Clouds have their own name in errors; servers that speak the API for themselves stand for it. */
export function sourceOf({ name, cloud }: RequestProfile): ErrorSource {
  if (cloud !== undefined) {
    const setting = `the settings of ${name}`;
    return { provider: name, setting, credentials: `the credentials of ${name}` };
  }
  const setting = 'TURNPIKE_PROVIDER_BASE_URL';
  const credentials =
    name === 'anthropic' || name === 'compatible' ? 'ANTHROPIC_API_KEY' : 'TURNPIKE_PROVIDER_KEY';
  return { provider: 'anthropic', setting, credentials };
}

/** An `error` event in the provider's stream. Thrown by the fold, mapped like every other failure. */
export class StreamErrorEvent extends Error {
  /** @param body the event: `{type: "error", error: {type, message, details?}, request_id?}` */
  constructor(readonly body: Record<string, unknown>) {
    super('The provider sent an error event');
    this.name = 'StreamErrorEvent';
  }
}

/** The HTTP status of each type of error. */
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
  // llama.cpp's, for a prompt over its window.
  exceed_context_size_error: 400,
  // Those of Bedrock.
  validationException: 400,
  modelTimeoutException: 408,
  modelStreamErrorException: 424,
  throttlingException: 429,
  internalServerException: 500,
  serviceUnavailableException: 503,
};

/** Longest `Retry-After` that is passed on. */
const MAX_RETRY_AFTER_MS = 999_999_000;

function adviceFor(category: ProviderErrorCategory, { credentials }: ErrorSource) {
  if (category === 'RATE_LIMITED') return 'Wait, then send the turn again.';
  return category === 'INVALID_API_KEY'
    ? `Check ${credentials ?? 'ANTHROPIC_API_KEY'}, then restart.`
    : undefined;
}

/**
 * Maps any failure of a model call to an `SDK_FAILURE` whose details are `{provider, category}` and,
 * where known, `reason`, `upstreamType`, `upstreamCode`, `requestId`, `inStream`, `blocks`, `cause`. The
 * category is the contract's; the reason is why the provider refused. First match wins:
 *
 * - a `TypedError` (also as a cause: the SDK wraps the errors of its fetch and of credentials): itself
 * - an `error` event: the status of its type or 502, `API_RESPONSE_ERROR`
 * - a timeout of the SDK or of the socket: 504 `REQUEST_TIMEOUT`
 * - a redirect: 400 `NETWORK_POLICY_VIOLATION`
 * - 401, 403: as upstream, `INVALID_API_KEY`; 429: `RATE_LIMITED`; other: `API_RESPONSE_ERROR`
 * - anything else: 503 `NETWORK_ERROR`, retryable unless the address or its certificate is at fault
 */
export function mapError(
  error: unknown,
  redact: Redact,
  source: ErrorSource = messagesApi,
): TypedError {
  const { provider, setting } = source;
  const own = ownError(error);
  if (own !== undefined) return own;
  if (error instanceof StreamErrorEvent) return mapErrorEvent(error.body, redact, source);
  if (isConnectionTimeout(error) || hasTimeoutCode(error)) {
    return unanswered(provider);
  }
  const answer = asApiAnswer(error);
  if (answer !== undefined) return mapStatus(answer, redact, source);
  return providerError({
    ...unreachable(error, setting),
    provider,
    category: 'NETWORK_ERROR',
    facts: { cause: shorten(redact(describeCauses(error))) },
  });
}

/**
 * Maps a failed check of a model: a refusal of the provider is 500 with `upstreamStatus` in the
 * details, any other failure as in `mapError`.
 */
export function mapRefusal(
  error: unknown,
  model: string,
  redact: Redact,
  source: ErrorSource = messagesApi,
): TypedError {
  const mapped = mapError(error, redact, source);
  const answer = asApiAnswer(error);
  if (answer === undefined) return mapped;
  const advice = answer.status === 404 ? ` It does not have "${model}".` : '';
  return new TypedError('SDK_FAILURE', {
    message: mapped.message + advice,
    details: {
      ...(isPlainObject(mapped.details) ? mapped.details : {}),
      upstreamStatus: answer.status,
    },
    relayed: { status: 500, ...retryAdvice(mapped) },
  });
}

function mapStatus(error: ApiAnswer, redact: Redact, source: ErrorSource): TypedError {
  const { status } = error;
  if (status < 400) {
    return policyViolation('The provider answered with a redirect, which is never followed', {
      upstreamStatus: status,
    });
  }
  const { requestId, ...answer } = readAnswer(error);
  return answered(
    answer,
    {
      head: `The provider answered ${status}`,
      category: categoryOf(status, answer.type),
      requestId,
      retryAfterMs: retryAfterMs(error.headers, Date.now()),
      source,
    },
    redact,
  );
}

function mapErrorEvent(
  body: Record<string, unknown>,
  redact: Redact,
  source: ErrorSource,
): TypedError {
  const error = isPlainObject(body['error']) ? body['error'] : {};
  const details = isPlainObject(error['details']) ? error['details'] : {};
  const type = textOf(error['type']);
  const known = type !== undefined && Object.hasOwn(STATUS_OF_TYPE, type);
  return answered(
    {
      status: (known ? STATUS_OF_TYPE[type] : undefined) ?? 502,
      type: type ?? null,
      code: textOf(details['error_code']) ?? null,
      text: textOf(error['message']) ?? type ?? 'no reason given',
      details,
    },
    {
      head: 'The provider ended its stream with an error',
      category: 'API_RESPONSE_ERROR',
      requestId: textOf(body['request_id']),
      retryAfterMs: undefined,
      inStream: true,
      source,
    },
    redact,
  );
}

interface ErrorContext {
  head: string;
  category: ProviderErrorCategory;
  requestId: string | undefined;
  retryAfterMs: number | undefined;
  source: ErrorSource;
  /** Set for an error after the answer has begun. */
  inStream?: true;
}

function answered(answer: ErrorAnswer, context: ErrorContext, redact: Redact): TypedError {
  const { status, type, code } = answer;
  const { category } = context;
  const { reason, retryable } = judgeAnswer(answer);
  const requestId = context.requestId === undefined ? undefined : redact(context.requestId);
  const pauseMs = context.retryAfterMs ?? Infinity;
  const blocks = reason === 'INVALID_REQUEST' ? namedBlocks(answer) : [];
  const advice = (reason && providerReasons[reason].advice) ?? adviceFor(category, context.source);
  // No advice to wait where waiting does not help.
  const isLater = retryable && pauseMs <= MAX_RETRY_AFTER_MS;
  return providerError({
    relayed: {
      status,
      retryable,
      ...compact({ retryAfterMs: isLater ? Math.ceil(pauseMs) : undefined, requestId }),
    },
    category,
    provider: context.source.provider,
    ...compact({ reason }),
    message: sentence(context.head, shorten(redact(answer.text)), advice),
    facts: compact({
      upstreamType: type === null ? undefined : redact(type),
      upstreamCode: code === null ? undefined : redact(code),
      requestId,
      inStream: context.inStream,
      blocks: blocks.length === 0 ? undefined : blocks,
    }),
    ...(isLater ? { headers: { 'Retry-After': String(Math.ceil(pauseMs / 1_000)) } } : {}),
  });
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

function categoryOf(status: number, type: string | null): ProviderErrorCategory {
  if (status === 401 || status === 403 || type === 'authentication_error') return 'INVALID_API_KEY';
  return status === 429 ? 'RATE_LIMITED' : 'API_RESPONSE_ERROR';
}

function ownError(error: unknown): TypedError | undefined {
  const own = withCauses(error).find((link) => link instanceof TypedError);
  return own instanceof TypedError ? own : undefined;
}

function sentence(head: string, text: string, advice?: string): string {
  const stop = /[.!?…]$/.test(text) ? '' : '.';
  return `${head}: ${text}${stop}${advice === undefined ? '' : ` ${advice}`}`;
}

function shorten(text: string): string {
  return text.length <= MAX_MESSAGE_LENGTH ? text : `${text.slice(0, MAX_MESSAGE_LENGTH)}…`;
}

/** Timeout codes of the HTTP client and of the socket. */
const TIMEOUT_CODES: ReadonlySet<unknown> = new Set([
  'UND_ERR_HEADERS_TIMEOUT',
  'UND_ERR_BODY_TIMEOUT',
  'UND_ERR_CONNECT_TIMEOUT',
  'ETIMEDOUT',
]);

/**
 * Codes of a name that does not exist and of a certificate that is not trusted, until the address or the machine is
 * configured otherwise: a retry fails as well.
 * A name server that does not answer is `EAI_AGAIN`, which a retry may cure.
 */
const SETUP_CODES: ReadonlySet<unknown> = new Set([
  'ENOTFOUND',
  'CERT_HAS_EXPIRED',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'ERR_TLS_CERT_ALTNAME_INVALID',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
]);

/** The network's reason why a request did not reach its provider, with what to do. */
function unreachable(
  error: unknown,
  setting: string,
): { case: 'wrongAddress' | 'unreachable'; message: string } {
  const codes = withCauses(error).map((link) => property(link, 'code'));
  if (codes.some((code) => SETUP_CODES.has(code))) {
    return {
      case: 'wrongAddress',
      message: `The provider has no such address, or its certificate is not trusted. Check ${setting}; NODE_EXTRA_CA_CERTS names the authority of a gateway of your own.`,
    };
  }
  const message = codes.includes('ECONNREFUSED')
    ? `Nothing listens at the provider's address. Start the server that is to be there, or correct ${setting}. Send the turn again.`
    : 'The provider could not be reached, or the connection broke. Send the turn again.';
  return { case: 'unreachable', message };
}

/** The messages of an error and its causes, outermost first, `outer: inner: innermost`. Not redacted. */
function describeCauses(error: unknown): string {
  const messages = withCauses(error).map((link) => messageOf(link));
  return messages.filter((message, at) => message !== messages[at - 1]).join(': ');
}

function hasTimeoutCode(error: unknown): boolean {
  return withCauses(error).some((link) => TIMEOUT_CODES.has(property(link, 'code')));
}

/** The message of an error, by shape: the HTTP client's errors may come from another realm. */
function messageOf(error: unknown): string {
  const message = property(error, 'message');
  if (typeof message === 'string' && message !== '') return message;
  const code = property(error, 'code');
  return typeof code === 'string' ? code : String(error);
}

function property(value: unknown, name: 'code' | 'message'): unknown {
  return typeof value === 'object' && value !== null && name in value
    ? (value as Record<typeof name, unknown>)[name]
    : undefined;
}
