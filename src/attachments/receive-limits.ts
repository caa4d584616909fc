import type { Clock } from '../platform/clock.js';
import { invalidRequest, TypedError } from '../errors/typed-error.js';
import type { BlobStore } from './blob-store.js';

/** Limits of a request with files, each inclusive. */
export interface ReceiveLimits {
  maxFiles: number;
  /** Bytes of one file. */
  maxFileBytes: number;
  /** Bytes of the body. */
  maxRequestBytes: number;
  /** Bytes of one field of a form, or of all of a JSON document but its files. */
  maxFieldBytes: number;
  /** Bytes of a JSON body that is parsed in one piece. Default: 1 MiB. */
  plainBytes?: number;
  /** Milliseconds without a byte after which the request is refused. */
  idleMs: number;
}

export interface ReceiveOptions {
  /** The store that files go to while they come. */
  store: Pick<BlobStore, 'put'>;
  clock: Clock;
  limits: ReceiveLimits;
}

export function fileTooLarge(name: string, maxFileBytes: number): TypedError {
  return new TypedError('FILE_TOO_LARGE', {
    message: `${name} is over the limit of ${maxFileBytes} bytes a file. Send a smaller file.`,
    details: { file: name, maxFileBytes },
  });
}

export function fieldTooLarge(name: string, maxFieldBytes: number): TypedError {
  return new TypedError('BODY_TOO_LARGE', {
    message: `${name} is over the limit of ${maxFieldBytes} bytes. Send large content as a file.`,
    details: { field: name, maxFieldBytes },
  });
}

export function documentTooDeep(): TypedError {
  return invalidRequest('Request body is nested too deeply. Send it flatter.');
}

export function tooManyValues(limit: number): TypedError {
  return invalidRequest(
    `The request body has too many values: at most ${limit} in all lists and objects`,
    { limit },
  );
}

/** Passes a content through. @throws what `refuse` makes, as soon as it is over `maxBytes`. */
export async function* limitBytes(
  content: AsyncIterable<Uint8Array>,
  maxBytes: number,
  refuse: () => Error,
): AsyncGenerator<Uint8Array> {
  let size = 0;
  for await (const chunk of content) {
    size += chunk.length;
    if (size > maxBytes) throw refuse();
    yield chunk;
  }
}

/** Characters that are decoded together, about. */
const BATCH_CHARS = 64 * 1024;

const wholeGroups = /^[A-Za-z0-9+/]*$/;
const lastGroups = /^[A-Za-z0-9+/]*={0,2}$/;

/**
 * Decodes a base64 text that comes in pieces. Strict: the standard alphabet, no white space, padded to
 * a multiple of four.
 *
 * @param refuse makes the error for any other text.
 */
export async function* decodeBase64(
  texts: AsyncIterable<string> | Iterable<string>,
  refuse: () => Error,
): AsyncGenerator<Buffer> {
  let text = '';
  for await (const more of texts) {
    text += more;
    if (text.length < BATCH_CHARS) continue;
    // The last group stays for the next round: only the end may have padding.
    const end = text.length - (text.length % 4 || 4);
    yield decode(text.slice(0, end), wholeGroups, refuse);
    text = text.slice(end);
  }
  if (text !== '') yield decode(text, lastGroups, refuse);
}

function decode(text: string, form: RegExp, refuse: () => Error): Buffer {
  if (text.length % 4 !== 0 || !form.test(text)) throw refuse();
  return Buffer.from(text, 'base64');
}
