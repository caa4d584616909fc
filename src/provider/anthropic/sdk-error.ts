import type { APIError } from '@anthropic-ai/sdk';
import { isPlainObject } from '../../platform/json.js';
import type { ErrorAnswer } from './judge-answer.js';

/** An answer of the API that is an error. */
export type ApiAnswer = APIError<number, Headers>;

/**
 * The error of the SDK for an answer; undefined for any other. By its shape: the client of a cloud may have an SDK of
 * its own, whose classes are others.
 */
export function asApiAnswer(error: unknown): ApiAnswer | undefined {
  return isOfSdk(error) && typeof error.status === 'number' ? (error as ApiAnswer) : undefined;
}

export function isConnectionTimeout(error: unknown): boolean {
  return isOfSdk(error) && error.name === 'APIConnectionTimeoutError';
}

function isOfSdk(error: unknown): error is Error & { status: unknown } {
  return error instanceof Error && 'status' in error && 'requestID' in error;
}

/** The headers in which the places say the id of a request. */
const requestIds = ['request-id', 'x-amzn-requestid', 'apim-request-id', 'x-request-id'] as const;

/**
 * An error as the API has it, also where a cloud answers before the API does: Bedrock with `{message}` and the type in
 * a header, Google with `{error: {message, status}}`, also in a list. Pure.
 */
export function readAnswer(error: ApiAnswer): ErrorAnswer & { requestId: string | undefined } {
  const { status, headers, type, errorCode: code, details, apiMessage } = error;
  const requestId = requestIds.map((name) => headers.get(name)).find((id) => id !== null);
  const given = { status, code, details, requestId: requestId ?? undefined };
  const body: unknown = Array.isArray(error.error) ? error.error[0] : error.error;
  const inner = isPlainObject(body) && isPlainObject(body['error']) ? body['error'] : body;
  const fields = isPlainObject(inner) ? inner : {};
  const text = apiMessage ?? textOf(fields['message']) ?? textOf(fields['Message']);
  // Amazon's may end with a colon and a URL.
  const [amazon] = headers.get('x-amzn-errortype')?.split(':') ?? [];
  return {
    ...given,
    type: type ?? amazon ?? textOf(fields['status']) ?? null,
    text: text ?? error.message,
  };
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** Whether an answer says that its request is wanted again, or is not. Undefined: it says nothing. Pure. */
export function asksAgain(error: unknown): boolean | undefined {
  const said = asApiAnswer(error)?.headers?.get('x-should-retry');
  return said === 'true' || said === 'false' ? said === 'true' : undefined;
}
