import { isLoopbackAddress, isPublicAddress } from './public-address.js';

/** Hosts that may be at addresses that are not public, by their names as in URLs. */
export interface PrivateHosts {
  /** Entries of hosts that may be at any address: `host` (at port 443 or 80), `host:port`, `host:*`. */
  anywhere: readonly string[];
  /** Hosts that may be at loopback addresses, besides public ones, at every port. */
  loopback: readonly string[];
}

/** The part of a URL that says where a connection goes. */
export type Target = Pick<URL, 'protocol' | 'hostname' | 'port'>;

/** The addresses that a connection may use. */
export type Reach = 'public' | 'loopback' | 'anywhere';

/** Compares hosts without regard to case, to the brackets of IPv6 and to a final dot. Pure. */
export function reachOf(target: Target, { anywhere, loopback }: PrivateHosts): Reach {
  const host = bareHost(target.hostname);
  const isListed = anywhere.some((entry) => {
    const [, name = entry, port = ''] = /^(.*):(\d+|\*)$/.exec(entry) ?? [];
    if (bareHost(name) !== host) return false;
    if (port === '') return ['80', '443'].includes(portOf(target));
    return port === '*' || Number(port) === Number(portOf(target));
  });
  if (isListed) return 'anywhere';
  return loopback.some((name) => bareHost(name) === host) ? 'loopback' : 'public';
}

export function isWithin(reach: Reach, address: string): boolean {
  if (reach === 'anywhere' || isPublicAddress(address)) return true;
  return reach === 'loopback' && isLoopbackAddress(address);
}

/** The port of a URL, also where it is that of its scheme. */
export function portOf({ protocol, port }: Pick<URL, 'protocol' | 'port'>): string {
  if (port !== '') return port;
  return protocol === 'https:' ? '443' : '80';
}

/** A host as resolvers and sockets name it: `[::1]` → `::1`, `Example.com.` → `example.com`. */
export function bareHost(host: string): string {
  return host
    .toLowerCase()
    .replace(/^\[(.*)\]$/, '$1')
    .replace(/\.$/, '');
}
