import { lookup as resolveHost } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import type { ReadableStream } from 'node:stream/web';
import { Agent, buildConnector, fetch as undiciFetch, type Dispatcher } from 'undici';
import {
  AddressRefusedError,
  bareHost,
  isWithin,
  reachOf,
  type PrivateHosts,
  type Reach,
} from './addresses.js';

export interface PublicFetchOptions {
  /** Hosts that may be at addresses that are not public. Default: none. */
  privateHosts?: PrivateHosts;
  /** Resolves names to addresses. Default: the system's resolver. */
  lookup?: LookupFunction;
}

/**
 * A dispatcher that connects to public addresses only. The address that is checked is the one that is
 * connected to, so that a name cannot move between check and use.
 * A host with several addresses is refused when one of them is. Connections are kept and used again;
 * proxies of the environment are not used.
 *
 * @throws (the request) `AddressRefusedError`.
 */
export function publicDispatcher(options: PublicFetchOptions = {}): Dispatcher {
  const { privateHosts = { anywhere: [], loopback: [] }, lookup = resolveHost } = options;
  const connectorFor = (reach: Reach) => buildConnector({ lookup: guardedLookup(reach, lookup) });
  const connectors = {
    public: connectorFor('public'),
    loopback: connectorFor('loopback'),
    anywhere: connectorFor('anywhere'),
  };
  const connect: buildConnector.connector = (target, callback) => {
    const host = bareHost(target.hostname);
    const reach = reachOf(target, privateHosts);
    // A host that is an address is never looked up.
    if (isIP(host) !== 0 && !isWithin(reach, host)) {
      callback(new AddressRefusedError(host), null);
      return;
    }
    connectors[reach](target, callback);
  };
  return new Agent({ connect });
}

/** The part of a response that undici's and that of Node's copy of undici have in common. */
export interface PublicResponse extends Pick<Response, 'status' | 'statusText' | 'text'> {
  readonly body: ReadableStream<Uint8Array> | null;
  readonly headers: Pick<Headers, 'get'> & Iterable<[string, string]>;
}

/** A `fetch` of URLs, whose requests have a text as their body, or none. */
export type PublicFetch = (url: string | URL, init?: RequestInit) => Promise<PublicResponse>;

/**
 * A `fetch` over a `publicDispatcher`. A redirect is never followed: its 3xx is the answer.
 *
 * @throws (the fetch) TypeError whose cause is an `AddressRefusedError` (see `refusedHost`); TypeError for a body
 *   that is no text.
 */
export function publicFetch(options: PublicFetchOptions = {}): PublicFetch {
  const dispatcher = publicDispatcher(options);
  return async (url, { body = null, headers: given, ...init } = {}) => {
    // Bodies of other kinds, and headers, are objects of Node's copy of undici, which this one does not know.
    if (typeof body !== 'string' && body !== null) {
      throw new TypeError('The body of a request is a text');
    }
    const headers = [...new Headers(given)];
    return undiciFetch(url, { ...init, headers, body, dispatcher, redirect: 'manual' });
  };
}

function guardedLookup(reach: Reach, lookup: LookupFunction): LookupFunction {
  return (host, options, callback) => {
    lookup(host, options, (error, found, family) => {
      if (error) return callback(error, found, family);
      const addresses = typeof found === 'string' ? [found] : found.map(({ address }) => address);
      const refused = addresses.some((address) => !isWithin(reach, address));
      return refused ? callback(new AddressRefusedError(host), []) : callback(null, found, family);
    });
  };
}
