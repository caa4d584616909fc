import { promisify } from 'node:util';
import { brotliDecompress, gunzip, inflate, type ZlibOptions } from 'node:zlib';
import { errorCode } from '../platform/error-code.js';
import {
  bodyTooLarge,
  inflatesTooFar,
  notInflatable,
  type BodyRules,
} from '../http/errors/body-errors.js';

type Inflate = (bytes: Uint8Array, options: ZlibOptions) => Promise<Buffer>;

const inflaters = new Map<string, Inflate>([
  ['gzip', promisify(gunzip)],
  ['deflate', promisify(inflate)],
  ['br', promisify(brotliDecompress)],
]);

/** Supported codings of `Content-Encoding`. */
export const inflatable: readonly string[] = [...inflaters.keys()];

/**
 * Greatest ratio of inflated to sent size. JSON of prose and code shrinks to a fifth or a seventh;
 * data that shrinks to less than a tenth is mostly repetition.
 */
const MOST_FACTOR = 10;

/**
 * Larger pieces than the library's default, so that a large body takes few turns of the event loop.
 */
const PIECE_BYTES = 256 * 1024;

/**
 * Inflates a whole body on zlib's threads, and stops as soon as it is too large.
 *
 * @param encoding one of `inflatable`.
 * @throws TypedError 413 `BODY_TOO_LARGE` beyond ten times the sent bytes, or beyond the route's
 * limit; 400 `INVALID_REQUEST` for malformed data.
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
  const most = sent.length * MOST_FACTOR;
  const maxOutputLength = Math.min(most, rules.maxBytes);
  try {
    return await inflateWith(sent, { maxOutputLength, chunkSize: PIECE_BYTES });
  } catch (error) {
    if (errorCode(error) !== 'ERR_BUFFER_TOO_LARGE') throw notInflatable(encoding);
    throw most < rules.maxBytes ? inflatesTooFar(MOST_FACTOR) : bodyTooLarge(rules);
  }
}
