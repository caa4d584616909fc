import { hostProblem } from './mcp-hosts.js';
import type { McpDefinition } from '../../mcp-server.js';

/** The operator's policy on MCP servers. */
export interface McpPolicy {
  /** Servers of `TURNPIKE_MCP_FILE`, by name. */
  configured: Readonly<Record<string, McpDefinition>>;
  /** Entries (see `parseHostEntry`) of hosts that servers of agents and sessions may have. */
  hosts: readonly string[];
  /** Whether a session may define servers that are commands. */
  sessionStdio: boolean;
}

/** Reason why a definition of an agent or a session may not be used; undefined when it may. */
export function policyProblem(
  policy: McpPolicy,
  definition: McpDefinition,
  from: 'agent' | 'session',
): string | undefined {
  if (definition.kind === 'http') return hostProblem(definition.url, policy.hosts);
  if (from === 'agent' || policy.sessionStdio) return undefined;
  return 'has a command: sessions may use MCP servers over http only. Give a url, or set TURNPIKE_MCP_SESSION_STDIO=true on the server';
}
