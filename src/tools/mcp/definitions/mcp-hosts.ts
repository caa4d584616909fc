import { bareHost, portOf } from '../../../platform/net/address-rule.js';
import { loopbackNames } from '../../../platform/net/loopback.js';
import type { McpDefinition } from '../../mcp-server.js';

/** The entries that allow just the host and port of a definition; none for a command. */
export function hostEntryOf(definition: McpDefinition): string[] {
  if (definition.kind !== 'http') return [];
  const url = new URL(definition.url);
  return [`${url.hostname}:${portOf(url)}`];
}

/**
 * Reason why a URL may not be reached, given the entries `hosts`; undefined when it may. Names of this machine
 * are allowed only when they are listed, but also over http.
 */
export function hostProblem(address: string, hosts: readonly string[]): string | undefined {
  const url = new URL(address);
  if (url.protocol !== 'https:' && !loopbackNames.includes(url.hostname)) {
    return 'must use https';
  }
  if (hosts.some((entry) => matches(url, entry))) return undefined;
  return `names the host ${url.hostname}, which TURNPIKE_MCP_HOSTS does not list`;
}

function matches(url: URL, entry: string): boolean {
  const [, port] = /:(\d+)$/.exec(entry) ?? [];
  if (port !== undefined && port !== portOf(url)) return false;
  const pattern = port === undefined ? entry : entry.slice(0, -port.length - 1);
  const host = bareHost(url.hostname);
  return pattern.startsWith('*.')
    ? host.endsWith(bareHost(pattern.slice(1)))
    : host === bareHost(pattern);
}
