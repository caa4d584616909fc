import ipaddr from 'ipaddr.js';

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
