import { compact } from '../../platform/compact.js';
import { withCauses } from '../../platform/error-code.js';
import { isDeepJson } from '../../platform/exact-json.js';
import { isPlainObject } from '../../platform/json.js';
import { retryAfterMs } from '../../platform/retry-advice.js';
import { TypedError } from '../../errors/typed-error.js';
import { judgeAnswer } from '../anthropic/judge-answer.js';
import { mapError } from '../anthropic/map-error.js';
import {
  providerError,
  providerReasons,
  type ProviderErrorCategory,
  type ProviderErrorReason,
} from '../provider-errors.js';

/** Each package has its own copy of the classes: errors are known by the mark that all copies share. */
const isMarked = (error: unknown, name: string): error is Readonly<Record<string, unknown>> =>
  typeof error === 'object' &&
  error !== null &&
  Reflect.get(error, Symbol.for(`vercel.ai.error.${name}`)) === true;

/** Errors of an answer that a package cannot read. Their own words have the answer. */
const unreadable = [
  'AI_TypeValidationError',
  'AI_JSONParseError',
  'AI_InvalidResponseDataError',
  'AI_EmptyResponseBodyError',
  'AI_NoContentGeneratedError',
];

/** Words for thinking that does not come back as it was given. */
const THINKING_TEXT =
  /invalid_encrypted_content|thought_signature|reasoning_content.*(?:passed back|missing)/is;

/** Words for an account without credit. */
const SPEND_TEXT = /insufficient_quota|insufficient balance|exceeded your current quota/i;

const MAX_MESSAGE_CHARS = 500;

export interface ErrorPlace {
  maker: string;
  /** The variable of its key. */
  keyVariable: string;
  redact(text: string): string;
}

/**
 * Maps a failure of a package's call as `mapError` does those of the SDK. The request is never part of it: an error of
 * these packages has the whole prompt.
 */
export function mapCallError(error: unknown, place: ErrorPlace): TypedError {
  const own = withCauses(error).find((link) => link instanceof TypedError);
  if (own instanceof TypedError) return own;
  if (isMarked(error, 'AI_UnsupportedFunctionalityError')) {
    return providerError({
      case: 'refused',
      category: 'API_RESPONSE_ERROR',
      reason: 'INVALID_REQUEST',
      provider: place.maker,
      message: `${place.maker} does not take this: ${shorten(place.redact(messageOf(error)))}`,
    });
  }
  const unread = unreadable.find((name) => isMarked(error, name));
  if (unread !== undefined) {
    return providerError({
      case: 'unreadable',
      category: 'API_RESPONSE_ERROR',
      provider: place.maker,
      message: `The answer of ${place.maker} is not as its package expects (${unread}). Update the package, or send the turn again.`,
    });
  }
  if (isMarked(error, 'AI_APICallError') && typeof error['statusCode'] === 'number') {
    return answered(error, error['statusCode'], place);
  }
  // An error in a stream is data of the maker's, in a form of its own.
  if (!(error instanceof Error)) return inStream(error, place);
  return mapError(error, place.redact, { provider: place.maker, setting: 'TURNPIKE_MAKERS' });
}

function answered(
  error: Readonly<Record<string, unknown>>,
  status: number,
  { maker, keyVariable, redact }: ErrorPlace,
): TypedError {
  const body = words(error['responseBody']);
  // A package has no words of an error in a form that it does not know.
  const text = words(error['data']) ?? words(parsed(body)) ?? messageOf(error);
  const { reason, retryable } = judge(status, `${text} ${body ?? ''}`);
  const headers = isPlainObject(error['responseHeaders']) ? error['responseHeaders'] : {};
  const pauseMs = retryAfterMs(new Headers(headers as Record<string, string>), Date.now());
  const category = categoryOf(status);
  const advice =
    category === 'INVALID_API_KEY'
      ? `Check ${keyVariable}, then restart.`
      : reason && providerReasons[reason].advice;
  return providerError({
    relayed: { status, retryable, ...compact({ retryAfterMs: retryable ? pauseMs : undefined }) },
    category,
    provider: maker,
    ...compact({ reason }),
    message: sentence(`${maker} answered ${status}: ${shorten(redact(text))}`, advice),
  });
}

function inStream(error: unknown, { maker, redact }: ErrorPlace): TypedError {
  const text = words(error) ?? 'no reason given';
  const { reason } = judge(400, text);
  const isAboutContent = reason !== undefined && reason !== 'INVALID_REQUEST';
  return providerError({
    relayed: { status: isAboutContent ? 400 : 502, retryable: !isAboutContent },
    category: 'API_RESPONSE_ERROR',
    provider: maker,
    ...(isAboutContent ? { reason } : {}),
    message: sentence(`${maker} ended its stream with an error: ${shorten(redact(text))}`),
    facts: { inStream: true },
  });
}

function judge(
  status: number,
  text: string,
): { reason: ProviderErrorReason | undefined; retryable: boolean } {
  if (SPEND_TEXT.test(text)) return { reason: 'SPEND_LIMIT', retryable: false };
  if (status < 500 && THINKING_TEXT.test(text)) {
    return { reason: 'THINKING_REFUSED', retryable: false };
  }
  const type = status === 404 ? 'not_found_error' : null;
  return judgeAnswer({ status, type, code: null, text });
}

function categoryOf(status: number): ProviderErrorCategory {
  if (status === 401 || status === 403) return 'INVALID_API_KEY';
  return status === 429 ? 'RATE_LIMITED' : 'API_RESPONSE_ERROR';
}

/** The words of an error in one of the forms that makers have: `{error: {message}}`, `{message}`, text. */
function words(data: unknown): string | undefined {
  if (typeof data === 'string') return data === '' ? undefined : data;
  if (!isPlainObject(data)) return undefined;
  return words(data['error']) ?? words(data['message']);
}

function parsed(text: string | undefined): unknown {
  if (text === undefined || isDeepJson(text)) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    // A page of a gateway: the package's words are better.
    return undefined;
  }
}

function messageOf(error: unknown): string {
  const message =
    isPlainObject(error) || error instanceof Error ? Reflect.get(error, 'message') : '';
  return typeof message === 'string' && message !== '' ? message : 'no reason given';
}

function sentence(text: string, advice?: string): string {
  const stop = /[.!?…]$/.test(text) ? '' : '.';
  return `${text}${stop}${advice === undefined ? '' : ` ${advice}`}`;
}

function shorten(text: string): string {
  return text.length <= MAX_MESSAGE_CHARS ? text : `${text.slice(0, MAX_MESSAGE_CHARS)}…`;
}
