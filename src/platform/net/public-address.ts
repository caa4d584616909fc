import ipaddr from 'ipaddr.js';

/** What the Internet routes to of IPv6: all else is special, or not given out yet. */
const globalUnicast = ipaddr.IPv6.parseCIDR('2000::/3');

/**
 * Whether an IP address is one of the public Internet. Not public: loopback, private and shared
 * (CGNAT) ranges, link-local (the metadata services of clouds are there), unique-local, multicast,
 * documentation, whatever is reserved, and text that is no address. An IPv4 address inside an IPv6
 * one counts as itself where it is mapped; NAT64, 6to4 and Teredo are never public, since what is
 * behind them is not known.
 */
export function isPublicAddress(address: string): boolean {
  if (!ipaddr.isValid(address)) return false;
  const ip = ipaddr.process(address);
  if (ip.range() !== 'unicast') return false;
  return !(ip instanceof ipaddr.IPv6) || ip.match(globalUnicast);
}

/** Whether it is the host itself: `127.0.0.0/8` and `::1`, also mapped. */
export function isLoopbackAddress(address: string): boolean {
  return ipaddr.isValid(address) && ipaddr.process(address).range() === 'loopback';
}
