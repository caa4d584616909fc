import type { IncomingMessage } from 'node:http';
import { MIMEType, promisify } from 'node:util';
import zlib, { brotliDecompress, constants, gunzip, inflate, type ZlibOptions } from 'node:zlib';
import { chunkShare } from '../http/streams/write-stream.js';
import type { Clock } from '../platform/clock.js';
import { parseJson } from '../platform/exact-json.js';
import { JsonMeter, type JsonLimits } from '../platform/text/json-text.js';
import {
  bodyTooLarge,
  excessOf,
  notAnObject,
  notUtf8,
  unsupportedCharset,
  invalidJson,
  inflatesTooFar,
  notInflatable,
  windowTooLarge,
} from '../http/body-errors.js';
import { type BodyKind, RequestBody, plainBody, type BodyRules } from '../http/request-body.js';
import { errorCode } from '../platform/error-code.js';
import { isWholeZstd } from './whole-zstd.js';

/** Bytes decoded and measured at a time. */
const PIECE_BYTES = 64 * 1024;

export interface BodyReaderOptions {
  clock: Clock;
  /** Longest pause of a client's upload, in milliseconds. */
  idleMs: number;
  rules: Readonly<Record<Exclude<BodyKind, 'unread'>, BodyRules>>;
}

/** Reads the JSON bodies of requests, bounded in bytes, levels and values before they are parsed. */
export class BodyReader {
  constructor(private readonly options: BodyReaderOptions) {}

  /**
   * Parses the body into `request.body`, as frameworks do: `{}` for an empty body, undefined
   * without one. The content type is not checked: the reference checks none, and its clients send
   * none.
   *
   * @throws TypedError 400 `INVALID_REQUEST`, 408 `REQUEST_TIMEOUT`, 413 `BODY_TOO_LARGE`, 415
   * `UNSUPPORTED_MEDIA_TYPE`; ClientGoneError.
   */
  async read(request: IncomingMessage & { body?: unknown }, kind: BodyKind): Promise<void> {
    if (kind === 'unread' || !hasBody(request)) return;
    request.body = await this.#readJson(request, this.options.rules[kind]);
  }

  #readJson(request: IncomingMessage, rules: BodyRules): Promise<unknown> {
    const { clock, idleMs } = this.options;
    const limits = {
      maxRequestBytes: rules.maxBytes,
      idleMs,
      encodings: inflatable,
      tooLarge: () => bodyTooLarge(rules),
    };
    return new RequestBody(request, limits, clock).receive(async (body) => {
      checkCharset(request.headers['content-type']);
      return parse(await loadText(body, rules));
    });
  }
}

/** Whether a request announces a body, even an empty one. */
export function hasBody({ headers }: Pick<IncomingMessage, 'headers'>): boolean {
  return headers['transfer-encoding'] !== undefined || headers['content-length'] !== undefined;
}

async function loadText(body: RequestBody, rules: BodyRules): Promise<string> {
  const text = new TextOfJson(rules);
  if (body.encoding === 'identity') {
    for await (const chunk of body.read()) text.add(chunk);
    return text.end();
  }
  const chunks: Buffer[] = [];
  for await (const chunk of body.read()) chunks.push(chunk);
  const inflated = await inflateBody(Buffer.concat(chunks), body.encoding, rules);
  for (let at = 0; at < inflated.length; at += PIECE_BYTES) {
    await chunkShare.next();
    text.add(inflated.subarray(at, at + PIECE_BYTES));
  }
  return text.end();
}

/** Decodes a JSON text, and refuses it as soon as it exceeds a limit. */
class TextOfJson {
  readonly #meter: JsonMeter;
  /** Drops a byte order mark, which JSON.parse refuses. */
  readonly #decoder = new TextDecoder('utf-8', { fatal: true });
  #text = '';

  constructor(private readonly rules: BodyRules) {
    this.#meter = new JsonMeter(rules.limits);
  }

  add(bytes: Uint8Array): void {
    const excess = this.#meter.add(bytes);
    if (excess !== undefined) throw excessOf(excess, this.rules.limits);
    this.#text += this.#decode(bytes, true);
  }

  end(): string {
    return this.#text + this.#decode(new Uint8Array(), false);
  }

  #decode(bytes: Uint8Array, stream: boolean): string {
    try {
      return this.#decoder.decode(bytes, { stream });
    } catch {
      throw notUtf8();
    }
  }
}

function parse(text: string): unknown {
  if (text === '') return {};
  let body: unknown;
  try {
    body = plainBody(parseJson(text));
  } catch {
    throw invalidJson();
  }
  // Lists are refused by the route, in its own words.
  if (typeof body !== 'object' || body === null) throw notAnObject(body);
  return body;
}

/** Checks the charset. A malformed type has none. */
function checkCharset(contentType: string | undefined): void {
  if (contentType === undefined) return;
  const charset = parseCharset(contentType);
  if (charset === undefined || /^(utf-?8|us-ascii)$/i.test(charset)) return;
  throw unsupportedCharset(charset);
}

function parseCharset(contentType: string): string | undefined {
  try {
    return new MIMEType(contentType).params.get('charset') ?? undefined;
  } catch {
    return undefined;
  }
}

/**
 * Limits far beyond any legitimate body. Code that walks a body overflows its stack beyond many
 * more levels; code that transforms one takes time that grows with the square of an object's keys.
 */
const commonLimits: JsonLimits = { levels: 64, keys: 1_000, values: 10_000 };

/** Limits of conversations: no validator transforms them, and only their end is used. */
const conversationLimits: JsonLimits = { ...commonLimits, values: 100_000 };

/** The limits of bodies that the server reads, by the kind that a route declares. Pure. */
export function bodyRules(config: {
  maxBodyBytes: number;
  maxConversationBytes: number;
}): Readonly<Record<Exclude<BodyKind, 'unread'>, BodyRules>> {
  return {
    plain: {
      maxBytes: config.maxBodyBytes,
      variable: 'TURNPIKE_MAX_BODY_BYTES',
      limits: commonLimits,
    },
    conversation: {
      maxBytes: config.maxConversationBytes,
      variable: 'TURNPIKE_MAX_CONVERSATION_BYTES',
      limits: conversationLimits,
    },
  };
}

type InflateOptions = Pick<ZlibOptions, 'maxOutputLength' | 'chunkSize'>;
type Inflate = (bytes: Uint8Array, options: InflateOptions) => Promise<Buffer>;

/** Window that a zstd body may ask for, as a power of two: what RFC 9659 allows as a content coding, 8 MiB. */
const ZSTD_WINDOW_LOG = 23;
// The library's own bound is 128 MiB, which the head of a tiny body could make it reserve.
const zstdParams = { [constants.ZSTD_d_windowLogMax]: ZSTD_WINDOW_LOG };

const inflaters = new Map<string, Inflate>([
  ['gzip', promisify(gunzip)],
  ['deflate', promisify(inflate)],
  ['br', promisify(brotliDecompress)],
  // Looked up when it is called, as an import by name that Node 20 lacks would hide which Node is needed.
  [
    'zstd',
    (bytes, options) => promisify(zlib.zstdDecompress)(bytes, { ...options, params: zstdParams }),
  ],
]);

/** Supported codings of `Content-Encoding`. */
export const inflatable: readonly string[] = [...inflaters.keys()];

/**
 * Greatest ratio of inflated to sent size. JSON of prose and code shrinks to a fifth or a seventh;
 * data that shrinks to less than a tenth is mostly repetition.
 */
const MAX_INFLATION = 10;

/**
 * Larger pieces than the library's default, so that a large body takes few turns of the event loop.
 */
const CHUNK_BYTES = 256 * 1024;

/**
 * Inflates a whole body on zlib's threads, and stops as soon as it is too large.
 *
 * @param encoding one of `inflatable`.
 * @throws TypedError 413 `BODY_TOO_LARGE` beyond ten times the sent bytes, beyond the route's limit, or
 * for zstd with a window over 8 MiB; 400 `INVALID_REQUEST` for malformed data.
 */
export async function inflateBody(
  sent: Uint8Array,
  encoding: string,
  rules: BodyRules,
): Promise<Buffer> {
  const inflateWith = inflaters.get(encoding);
  if (inflateWith === undefined) throw new Error(`There is no inflater for ${encoding}`);
  // An empty body is empty in every coding.
  if (sent.length === 0) return Buffer.alloc(0);
  if (encoding === 'zstd' && !isWholeZstd(sent)) throw notInflatable(encoding);
  const most = sent.length * MAX_INFLATION;
  const maxOutputLength = Math.min(most, rules.maxBytes);
  try {
    return await inflateWith(sent, { maxOutputLength, chunkSize: CHUNK_BYTES });
  } catch (error) {
    const code = errorCode(error);
    if (code === 'ZSTD_error_frameParameter_windowTooLarge')
      throw windowTooLarge(2 ** ZSTD_WINDOW_LOG);
    if (code !== 'ERR_BUFFER_TOO_LARGE') throw notInflatable(encoding);
    throw most < rules.maxBytes ? inflatesTooFar(MAX_INFLATION) : bodyTooLarge(rules);
  }
}
