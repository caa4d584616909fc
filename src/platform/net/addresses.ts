import ipaddr from 'ipaddr.js';
import { errorCode, withCauses } from '../error-code.js';

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

/** The routed part of IPv6: all else is special, or not allocated yet. */
const globalUnicast = ipaddr.IPv6.parseCIDR('2000::/3');

/**
 * Whether an IP address is one of the public Internet. Not public: loopback, private and shared
 * (CGNAT) ranges, link-local (the metadata services of clouds are there), unique-local, multicast,
 * documentation, reserved ranges, and text that is no address. A mapped IPv4 address counts as itself;
 * NAT64, 6to4 and Teredo are never public, since the address behind them is not known.
 */
export function isPublicAddress(address: string): boolean {
  if (!ipaddr.isValid(address)) return false;
  const ip = ipaddr.process(address);
  if (ip.range() !== 'unicast') return false;
  return !(ip instanceof ipaddr.IPv6) || ip.match(globalUnicast);
}

/** Whether an IP address is the machine itself: `127.0.0.0/8` and `::1`, also mapped. */
export function isLoopbackAddress(address: string): boolean {
  return ipaddr.isValid(address) && ipaddr.process(address).range() === 'loopback';
}

/**
 * Refuses a host for its address. The message leaves the address out: who chose the name would learn
 * what is inside the network.
 */
export class AddressRefusedError extends Error {
  override readonly name = 'AddressRefusedError';
  readonly code = 'ADDRESS_REFUSED';

  constructor(readonly host: string) {
    super(`${host} is at an address that is not public`);
  }
}

/** The refused host of an error or of its causes, by shape: HTTP clients wrap the error of a connection. */
export function refusedHost(error: unknown): string | undefined {
  for (const link of withCauses(error)) {
    if (errorCode(link) !== 'ADDRESS_REFUSED' || typeof link !== 'object' || link === null)
      continue;
    if ('host' in link) return String(link.host);
  }
  return undefined;
}

/**
 * Whether a text is the origin of pages, to the letter as browsers send it: of a site, or of an application with a scheme of
 * its own (`capacitor://localhost`, `tauri://localhost`, `chrome-extension://ID`). `null` is nobody's. Pure.
 */
export function isPageOrigin(text: string): boolean {
  if (/^https?:/i.test(text)) return URL.canParse(text) && new URL(text).origin === text;
  return /^[a-z][a-z\d+.-]*:\/\/[\w.~-]+(?::\d{1,5})?$/.test(text) && URL.canParse(text);
}

/** The port at which the command line waits for the answer of a log-in, unless another program has it. */
export const CLI_REDIRECT_PORT = 4455;

/** Names of this machine, as in URLs; with a dot at its end, a name is complete. */
export const loopbackNames: readonly string[] = ['localhost', 'localhost.', '127.0.0.1', '[::1]'];

export function isLoopbackHttp(url: URL): boolean {
  return url.protocol === 'http:' && loopbackNames.includes(url.hostname);
}

/** Whether an address, or the name of one, is reached from its own machine only. Pure. */
export function isLoopback(host: string): boolean {
  const name = host.replace(/^\[(.*)\]$/, '$1').toLowerCase();
  return loopbackNames.includes(name) || isLoopbackAddress(name);
}
