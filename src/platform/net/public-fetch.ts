import { lookup as resolveHost } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import { Agent, buildConnector, fetch as undiciFetch, type Dispatcher } from 'undici';
import { AddressRefusedError } from './address-refused.js';
import { addressRule, bareHost, type AddressRule, type PrivateHosts } from './address-rule.js';

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
  const mayReach = addressRule(options.privateHosts ?? { anywhere: [], loopback: [] });
  const lookup = guardedLookup(mayReach, options.lookup ?? resolveHost);
  const connectAnywhere = buildConnector({ lookup });
  const connect: typeof connectAnywhere = (target, callback) => {
    const host = bareHost(target.hostname);
    // A host that is an address is never looked up.
    if (isIP(host) !== 0 && !mayReach(host, host)) {
      callback(new AddressRefusedError(host), null);
      return;
    }
    connectAnywhere(target, callback);
  };
  return new Agent({ connect });
}

/**
 * A `fetch` over a `publicDispatcher`. A redirect is never followed: its 3xx is the answer.
 *
 * @throws (the fetch) TypeError whose cause is an `AddressRefusedError` (see `refusedHost`).
 */
export function publicFetch(options: PublicFetchOptions = {}): typeof fetch {
  const dispatcher = publicDispatcher(options);
  // The types differ alone: undici has its own, and Node has those of its copy of undici.
  const fetchBy = undiciFetch as unknown as (
    input: Parameters<typeof fetch>[0],
    init: Omit<RequestInit, 'dispatcher'> & { dispatcher: Dispatcher },
  ) => Promise<Response>;
  return (input, init) => fetchBy(input, { ...init, dispatcher, redirect: 'manual' });
}

function guardedLookup(mayReach: AddressRule, lookup: LookupFunction): LookupFunction {
  return (host, options, callback) => {
    lookup(host, options, (error, found, family) => {
      if (error) return callback(error, found, family);
      const addresses = typeof found === 'string' ? [found] : found.map(({ address }) => address);
      const refused = addresses.some((address) => !mayReach(host, address));
      return refused ? callback(new AddressRefusedError(host), []) : callback(null, found, family);
    });
  };
}
