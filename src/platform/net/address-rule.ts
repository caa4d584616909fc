import { isLoopbackAddress, isPublicAddress } from './public-address.js';

/** Exceptions from "only public addresses", by the host's name as a URL has it. */
export interface PrivateHosts {
  /** Hosts at any address at all. */
  anywhere: readonly string[];
  /** Hosts on this machine: a loopback address, besides public ones. */
  loopback: readonly string[];
}

/** Whether a connection to `host` may use `address`. */
export type AddressRule = (host: string, address: string) => boolean;

/** Hosts are compared without regard to case, to the brackets of IPv6 and to a final dot. */
export function addressRule({ anywhere, loopback }: PrivateHosts): AddressRule {
  const free = new Set(anywhere.map(bareHost));
  const local = new Set(loopback.map(bareHost));
  return (host, address) => {
    if (isPublicAddress(address) || free.has(bareHost(host))) return true;
    return local.has(bareHost(host)) && isLoopbackAddress(address);
  };
}

/** `[::1]` → `::1`, `Example.com.` → `example.com`: as resolvers and sockets know a host. */
export function bareHost(host: string): string {
  return host
    .toLowerCase()
    .replace(/^\[(.*)\]$/, '$1')
    .replace(/\.$/, '');
}
