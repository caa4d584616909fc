import { bareHost } from '../../../platform/net/address-rule.js';
import type { McpDefinition } from '../servers/mcp-server.js';

/** Names of this machine: allowed only when listed, like any other host, but also over http. */
export const loopbackNames: readonly string[] = ['localhost', '127.0.0.1', '[::1]'];

const entryForm = /^(\*\.)?([a-z0-9.-]+|\[[0-9a-f:]+\])(:\d{1,5})?$/;

/**
 * Parses an entry of a list of hosts: `mcp.example.com`, or `*.example.com` for all below it, each with
 * an optional `:port` (default: any). Undefined when it is not valid.
 */
export function parseHostEntry(text: string): string | undefined {
  const entry = text.trim().toLowerCase();
  return entryForm.test(entry) && entry !== '*.' ? entry : undefined;
}

/** The entries that allow just the host and port of a definition; none for a command. */
export function hostEntryOf(definition: McpDefinition): string[] {
  if (definition.kind !== 'http') return [];
  const url = new URL(definition.url);
  return [`${url.hostname}:${portOf(url)}`];
}

/** Why a URL may not be reached, given the entries `hosts`; undefined when it may. */
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

function portOf(url: URL): string {
  if (url.port !== '') return url.port;
  return url.protocol === 'https:' ? '443' : '80';
}

/** Parses a comma-separated list of hosts; undefined when an entry is not valid. */
export function parseHostList(value: string): readonly string[] | undefined {
  const entries = value.split(',').filter((entry) => entry.trim() !== '');
  const hosts = entries.flatMap((entry) => parseHostEntry(entry) ?? []);
  return hosts.length === entries.length ? hosts : undefined;
}
