import { absoluteTarget, keyInUrl, repeatedHeader, twoKeys } from '../access-errors.js';
import { containsKey } from '../keys/key-secret.js';

/**
 * The parts of a request that authenticate it. `X-Forwarded-*` is not among them: anybody can write
 * it. It only tells senders apart, as far as `TURNPIKE_TRUSTED_PROXIES` says.
 */
export interface RequestHead {
  method: string;
  /** Target of the request line, unchanged. */
  url: string;
  /** Names and values in turn, as received. */
  rawHeaders: readonly string[];
  /** Address of the sender: of the connection, or as trusted proxies say. */
  address: string;
  /** Id of the request, for the log; absent: none. */
  requestId?: string;
}

/** Headers that authorise: a repeated one could be understood in two ways. */
const onceOnly = ['host', 'origin', 'sec-fetch-site', 'authorization', 'x-api-key'];

/**
 * The API key of a request; undefined without one. Pure.
 *
 * @throws TypedError INVALID_REQUEST 400 for an ambiguous head, and for a key in the URL.
 */
export function parseCredentials({ url, rawHeaders }: RequestHead): string | undefined {
  if (!url.startsWith('/')) throw absoluteTarget();
  if (containsKey(url)) throw keyInUrl();
  const values = new Map<string, string>();
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at]?.toLowerCase() ?? '';
    if (!onceOnly.includes(name)) continue;
    if (values.has(name)) throw repeatedHeader(name);
    values.set(name, rawHeaders[at + 1] ?? '');
  }
  const bearer = /^Bearer +(\S+) *$/i.exec(values.get('authorization') ?? '')?.[1];
  const plain = values.get('x-api-key')?.trim();
  if (bearer !== undefined && plain !== undefined && bearer !== plain) throw twoKeys();
  return bearer ?? plain;
}
