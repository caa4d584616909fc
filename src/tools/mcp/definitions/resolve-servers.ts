import type { Parsed } from '../../../parsing/parse-value.js';
import { nameOf, type Fault } from '../../../parsing/word-issue.js';
import { policyProblem, type McpPolicy } from './mcp-policy.js';
import type { AgentServers, McpDefinition, McpProblem, McpServer } from '../../mcp-server.js';
import {
  credentialFaults,
  parseSessionServers,
  withCredentials,
  type SessionServer,
} from '../servers/session-servers.js';

export interface ServerRequest {
  /** The servers of the turn's agent. Absent: all servers of the configuration. */
  agent?: AgentServers | undefined;
  session: { id: string; mcpServers: Record<string, unknown> | null };
}

export interface ResolvedServers {
  servers: McpServer[];
  problems: McpProblem[];
}

/**
 * Resolves the servers of a turn: those of its agent, then those of its session. A session adds servers
 * of its own, and credentials to the agent's servers; it never widens the agent's choice of configured
 * servers. A server that a session defined, or that keeps state, has connections for that session alone.
 */
export function resolveServers(
  policy: McpPolicy,
  { agent, session }: ServerRequest,
): ResolvedServers {
  const found = agentDefinitions(policy, agent);
  const problems = [...found.problems];
  const servers = new Map<string, McpServer>();
  for (const [name, definition] of found.definitions) {
    const onlyFor = definition.perSession ? { onlyFor: session.id } : {};
    servers.set(name, { name, definition, ...onlyFor });
  }
  const parsed =
    session.mcpServers === null
      ? { servers: {}, faults: [] }
      : parseSessionServers(session.mcpServers, policy);
  problems.push(...parsed.faults.map(asProblem));
  for (const [name, wanted] of Object.entries(parsed.servers)) {
    const added = addFromSession(name, wanted, { policy, base: servers.get(name)?.definition });
    if (added.faults) {
      problems.push(...added.faults.map(asProblem));
      servers.delete(name);
    } else servers.set(name, { name, definition: added.value, onlyFor: session.id });
  }
  return { servers: [...servers.values()], problems };
}

function agentDefinitions(
  policy: McpPolicy,
  agent: AgentServers | undefined,
): { definitions: [string, McpDefinition][]; problems: McpProblem[] } {
  const { configured } = policy;
  if (agent === undefined) return { definitions: Object.entries(configured), problems: [] };
  const problems: McpProblem[] = [];
  const definitions: [string, McpDefinition][] = [];
  for (const server of agent.named) {
    const definition = Object.hasOwn(configured, server) ? configured[server] : undefined;
    if (definition !== undefined) definitions.push([server, definition]);
    else
      problems.push({
        server,
        reason: 'the agent names it, and TURNPIKE_MCP_FILE has no such server',
      });
  }
  for (const [server, definition] of Object.entries(agent.own)) {
    const reason = policyProblem(policy, definition, 'agent');
    if (reason === undefined) definitions.push([server, definition]);
    else problems.push({ server, reason: `its definition ${reason}` });
  }
  return { definitions, problems };
}

function addFromSession(
  name: string,
  wanted: SessionServer,
  { policy, base }: { policy: McpPolicy; base: McpDefinition | undefined },
): Parsed<McpDefinition> {
  const path = [name];
  if (wanted.kind === 'own') {
    const message = "is a name of the agent's own servers: choose another";
    return base === undefined ? { value: wanted.definition } : { faults: [{ path, message }] };
  }
  if (base === undefined) {
    return { faults: [{ path, message: 'has no url, and is no server that the agent has' }] };
  }
  const { credentials } = wanted;
  const faults = credentialFaults(name, credentials, { configured: base, policy });
  return faults.length > 0 ? { faults } : { value: withCredentials(base, credentials) };
}

function asProblem({ path, message }: Fault): McpProblem {
  const [server = 'mcpServers'] = path;
  const field = nameOf(['mcpServers', ...path]);
  return { server: String(server), reason: `${field} of the session ${message}` };
}
