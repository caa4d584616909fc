import ipaddr from 'ipaddr.js';

/** Whether an address, or the name of one, is reached from its own machine only. Pure. */
export function isLoopback(host: string): boolean {
  const name = host.replace(/^\[(.*)\]$/, '$1').toLowerCase();
  if (name === 'localhost') return true;
  return ipaddr.isValid(name) && ipaddr.process(name).range() === 'loopback';
}
