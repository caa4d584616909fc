import { hostProblem } from './mcp-hosts.js';
import type { McpDefinition } from '../servers/mcp-server.js';

/** What the operator allows. */
export interface McpPolicy {
  /** Servers of the configuration file, by name. */
  configured: Readonly<Record<string, McpDefinition>>;
  /** Entries (see `parseHostEntry`) that servers of agents and sessions must be at. */
  hosts: readonly string[];
  /** Whether a session may say which commands the server runs. */
  sessionStdio: boolean;
}

/** Why a definition that is not the operator's must not be used; undefined when it may. */
export function policyProblem(
  policy: McpPolicy,
  definition: McpDefinition,
  from: 'agent' | 'session',
): string | undefined {
  if (definition.kind === 'http') return hostProblem(definition.url, policy.hosts);
  if (from === 'agent' || policy.sessionStdio) return undefined;
  return 'has a command: sessions may use MCP servers over http only. Give a url, or set TURNPIKE_MCP_SESSION_STDIO=true on the server';
}
