import { isLoopbackAddress, isPublicAddress } from './public-address.js';

/** Hosts that may be at addresses that are not public, by their names as in URLs. */
export interface PrivateHosts {
  /** Hosts that may be at any address. */
  anywhere: readonly string[];
  /** Hosts that may be at loopback addresses, besides public ones. */
  loopback: readonly string[];
}

/** Whether a connection to `host` may use `address`. */
export type AddressRule = (host: string, address: string) => boolean;

/** A rule that compares hosts without regard to case, to the brackets of IPv6 and to a final dot. */
export function addressRule({ anywhere, loopback }: PrivateHosts): AddressRule {
  const free = new Set(anywhere.map(bareHost));
  const local = new Set(loopback.map(bareHost));
  return (host, address) => {
    if (isPublicAddress(address) || free.has(bareHost(host))) return true;
    return local.has(bareHost(host)) && isLoopbackAddress(address);
  };
}

/** A host as resolvers and sockets name it: `[::1]` → `::1`, `Example.com.` → `example.com`. */
export function bareHost(host: string): string {
  return host
    .toLowerCase()
    .replace(/^\[(.*)\]$/, '$1')
    .replace(/\.$/, '');
}
