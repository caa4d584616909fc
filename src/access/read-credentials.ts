import { absoluteTarget, keyInUrl, repeatedHeader, twoKeys } from './access-errors.js';
import { holdsKey } from './key-secret.js';

/** What of a request says who sent it. Nothing of `X-Forwarded-*`: anybody can write that. */
export interface RequestHead {
  method: string;
  /** As it stood in the request line. */
  url: string;
  /** Names and values in turn, as they came. */
  rawHeaders: readonly string[];
  /** Of the other end of the connection. */
  address: string;
}

/** Headers that decide who may do what: of two, readers may each take another. */
const onceOnly = ['host', 'origin', 'sec-fetch-site', 'authorization', 'x-api-key'];

/**
 * The key of a request; undefined when it has none. Pure.
 *
 * @throws TypedError INVALID_REQUEST 400 for what two readers could understand in two ways, and for a
 *   key in the URL.
 */
export function readCredentials({ url, rawHeaders }: RequestHead): string | undefined {
  if (!url.startsWith('/')) throw absoluteTarget();
  if (holdsKey(url)) throw keyInUrl();
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
