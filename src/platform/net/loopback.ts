import ipaddr from 'ipaddr.js';

/** Names of this machine, as in URLs. */
export const loopbackNames: readonly string[] = ['localhost', '127.0.0.1', '[::1]'];

export function isLoopbackHttp(url: URL): boolean {
  return url.protocol === 'http:' && loopbackNames.includes(url.hostname);
}

/** Whether an address, or the name of one, is reached from its own machine only. Pure. */
export function isLoopback(host: string): boolean {
  const name = host.replace(/^\[(.*)\]$/, '$1').toLowerCase();
  if (name === 'localhost') return true;
  return ipaddr.isValid(name) && ipaddr.process(name).range() === 'loopback';
}
