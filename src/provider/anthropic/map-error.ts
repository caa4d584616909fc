import { APIConnectionError, APIConnectionTimeoutError, APIError } from '@anthropic-ai/sdk';
import { compact } from '../../platform/compact.js';
import { isPlainObject } from '../../platform/json.js';
import { retryAdvice, retryAfterMs } from '../../platform/retry-advice.js';
import { TypedError } from '../../errors/typed-error.js';
import {
  providerError,
  providerReasons,
  unanswered,
  type ProviderErrorCategory,
  type ProviderErrorReason,
} from '../provider-errors.js';
import { namedBlocks } from '../named-blocks.js';
import { withCauses } from '../../platform/error-code.js';
import { policyViolation } from './check-egress.js';

type Redact = (text: string) => string;

/** Longest text of an error: enough for a sentence, too short for a gateway's page. */
const MAX_MESSAGE_LENGTH = 500;

/** Whose error it is, and the setting that has the address. */
export interface ErrorSource {
  provider: string;
  setting: string;
}

const messagesApi: ErrorSource = { provider: 'anthropic', setting: 'TURNPIKE_PROVIDER_BASE_URL' };

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
};

/** Longest `Retry-After` that is passed on. */
const MAX_RETRY_AFTER_MS = 999_999_000;

const ADVICE: Readonly<Partial<Record<ProviderErrorCategory, string>>> = {
  INVALID_API_KEY: 'Check ANTHROPIC_API_KEY, then restart.',
  RATE_LIMITED: 'Wait, then send the turn again.',
};

/**
 * Maps any failure of a model call to an `SDK_FAILURE` whose details are `{provider, category}` and,
 * where known, `reason`, `upstreamType`, `upstreamCode`, `requestId`, `inStream`, `blocks`, `cause`. The
 * category is the contract's; the reason is why the provider refused. First match wins:
 *
 * - a `TypedError` (also as a cause: the SDK wraps the errors of its fetch): itself
 * - an `error` event: the status of its type or 502, `API_RESPONSE_ERROR`
 * - a timeout of the SDK or of the socket: 504 `REQUEST_TIMEOUT`
 * - a redirect: 400 `NETWORK_POLICY_VIOLATION`
 * - 401, 403: as upstream, `INVALID_API_KEY`; 429: `RATE_LIMITED`; other: `API_RESPONSE_ERROR`
 * - anything else: 503 `NETWORK_ERROR`, retryable unless the address or its certificate is at fault
 */
export function mapError(
  error: unknown,
  redact: Redact,
  { provider, setting }: ErrorSource = messagesApi,
): TypedError {
  const own = ownError(error);
  if (own !== undefined) return own;
  if (error instanceof StreamErrorEvent) return mapErrorEvent(error.body, redact);
  if (error instanceof APIConnectionTimeoutError || hasTimeoutCode(error)) {
    return unanswered(provider);
  }
  if (error instanceof APIError && error.status !== undefined) {
    return mapStatus(error, error.status, redact);
  }
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
export function mapRefusal(error: unknown, model: string, redact: Redact): TypedError {
  const mapped = mapError(error, redact);
  if (!(error instanceof APIError) || error.status === undefined) return mapped;
  const advice = error.status === 404 ? ` It does not have "${model}".` : '';
  return new TypedError('SDK_FAILURE', {
    message: mapped.message + advice,
    details: {
      ...(isPlainObject(mapped.details) ? mapped.details : {}),
      upstreamStatus: error.status,
    },
    relayed: { status: 500, ...retryAdvice(mapped) },
  });
}

function mapStatus(error: APIError, status: number, redact: Redact): TypedError {
  if (status < 400) {
    return policyViolation('The provider answered with a redirect, which is never followed', {
      upstreamStatus: status,
    });
  }
  const category = categoryOf(status, error.type);
  const text = error.apiMessage ?? error.message;
  return answered(
    { status, type: error.type, code: error.errorCode, text, details: error.details },
    {
      head: `The provider answered ${status}`,
      category,
      requestId: error.requestID ?? undefined,
      retryAfterMs: retryAfterMs(error.headers ?? new Headers(), Date.now()),
    },
    redact,
  );
}

function mapErrorEvent(body: Record<string, unknown>, redact: Redact): TypedError {
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
    },
    redact,
  );
}

interface ErrorContext {
  head: string;
  category: ProviderErrorCategory;
  requestId: string | undefined;
  retryAfterMs: number | undefined;
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
  const advice = (reason && providerReasons[reason].advice) ?? ADVICE[category];
  // No advice to wait where waiting does not help.
  const isLater = retryable && pauseMs <= MAX_RETRY_AFTER_MS;
  return providerError({
    relayed: {
      status,
      retryable,
      ...compact({ retryAfterMs: isLater ? Math.ceil(pauseMs) : undefined, requestId }),
    },
    category,
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
  if (error instanceof TypedError) return error;
  return error instanceof APIConnectionError && error.cause instanceof TypedError
    ? error.cause
    : undefined;
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

/** An error of the provider, as the answer or in a stream. */
export interface ErrorAnswer {
  /** The status of the answer; in a stream, the status of the error's type. */
  status: number;
  /** `error.type`. */
  type: string | null;
  /** `error.details.error_code`. */
  code: string | null;
  /** `error.message`. */
  text: string;
  /** `error.details`; its fields depend on the code. */
  details?: unknown;
}

export interface AnswerJudgement {
  reason: ProviderErrorReason | undefined;
  retryable: boolean;
}

/** Codes about an account, a key or a workspace: other content would not help. */
const ACCOUNT_CODES: ReadonlySet<string> = new Set([
  'claude_code_key_creator_not_member',
  'claude_code_version_too_old',
  'cmek_key_disabled',
  'cmek_key_network_blocked',
  'organization_on_hold',
  'organization_type_not_supported',
  'parent_organization_required',
  'user_profile_required',
]);

const SPEND_CODES: ReadonlySet<string> = new Set([
  'contract_spend_limit_reached',
  'enforced_spend_limit_reached',
  'linked_organization_billing_unavailable',
  'linked_organization_spend_limit_reached',
  'user_profile_billing_not_authorized',
  'user_profile_not_billable',
]);

/** Texts of spend limits and used-up credit, which have no code. */
const SPEND_TEXT = /^You have reached your specified|credit balance is too low/i;

const THINKING_TEXT =
  /bound to a different conversation|invalid `?signature`?|thinking.*cannot be modified/is;

/** The words for a prompt over the window: Anthropic's, and those of llama.cpp, vLLM, Ollama, LM Studio and gateways. */
const PROMPT_TEXT = new RegExp(
  [
    'prompt is too long',
    'prompt too long',
    'exceeds? (?:the|your) (?:available )?context (?:size|length|window)',
    'exceeds? the context window',
    'maximum (?:context|prompt) length is',
    'greater than the context length',
    'context window exceeds limit',
    'context[_ ]length[_ ]exceeded',
    'larger than the context',
    'input (?:is )?too long',
    'too many (?:input )?tokens',
  ].join('|'),
  'i',
);

/** The type of llama.cpp's error for it. */
const PROMPT_TYPE = 'exceed_context_size_error';

/**
 * Reason of the provider's refusal, and whether it may take the same request later. Known codes
 * decide first, texts only where the provider sends no code. Pure.
 */
export function judgeAnswer(answer: ErrorAnswer): AnswerJudgement {
  const reason = reasonOf(answer);
  return { reason, retryable: reason !== 'SPEND_LIMIT' && mayPass(answer.status) };
}

function reasonOf({ status, type, code, text }: ErrorAnswer): ProviderErrorReason | undefined {
  if (code === 'ramp_limit_exceeded') return 'RAMP_LIMIT';
  if (status === 402 || (code !== null && SPEND_CODES.has(code))) return 'SPEND_LIMIT';
  if (code !== null && ACCOUNT_CODES.has(code)) return undefined;
  // In a stream the type alone says what it is.
  if (type === PROMPT_TYPE) return 'PROMPT_TOO_LONG';
  switch (status) {
    case 400:
    case 413:
    case 422:
      return contentReason(status, text);
    case 404:
      return type === 'not_found_error' && code === null ? 'MODEL_NOT_FOUND' : undefined;
    case 529:
      return 'OVERLOADED';
    default:
      return undefined;
  }
}

function contentReason(status: number, text: string): ProviderErrorReason {
  if (SPEND_TEXT.test(text)) return 'SPEND_LIMIT';
  if (THINKING_TEXT.test(text)) return 'THINKING_REFUSED';
  if (PROMPT_TEXT.test(text)) return 'PROMPT_TOO_LONG';
  return status === 413 ? 'REQUEST_TOO_LARGE' : 'INVALID_REQUEST';
}

/** Whether the SDK retries a status. */
function mayPass(status: number): boolean {
  return status === 408 || status === 409 || status === 429 || status >= 500;
}
