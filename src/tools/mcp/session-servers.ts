import { invalidRequest } from '../../errors/typed-error.js';
import {
  nameOf,
  type Fault,
  parseValue,
  within,
  type Parsed,
} from '../../platform/parsing/parse-value.js';
import {
  credentialsShape,
  type Credentials,
  type McpDefinition,
  hidden,
  parseDefinition,
  parseServerMap,
  type AgentServers,
  type McpProblem,
  type McpServer,
} from './definitions.js';
import { bareHost, portOf, loopbackNames } from '../../platform/net/addresses.js';

/**
 * A session's entry for a server: a definition of its own, or credentials for a server of its
 * agent.
 */
type SessionServer = { definition: McpDefinition } | { credentials: Credentials };

/**
 * Parses a session's `mcpServers` under the current policy, which may be stricter than when the session
 * was created. A server that is not allowed is dropped with a problem; the others stay.
 */
function parseSessionServers(
  input: unknown,
  policy: McpPolicy,
): { servers: Record<string, SessionServer>; faults: Fault[] } {
  const { value: map, faults } = parseServerMap(input);
  const servers: Record<string, SessionServer> = {};
  for (const [name, fields] of Object.entries(map)) {
    const isOwn = ['type', 'command', 'url'].some((key) => fields[key] !== undefined);
    const parsed: Parsed<SessionServer> = isOwn
      ? parseOwn(name, fields, policy)
      : within([name], parseValue(credentialsShape, fields, hidden));
    if (parsed.faults) faults.push(...parsed.faults);
    else servers[name] = parsed.value;
  }
  return { servers, faults };
}

/**
 * Checks the servers of a new session.
 *
 * @returns the map as given, to be stored.
 * @throws TypedError INVALID_REQUEST that names the field, and never repeats a value.
 */
export function checkSessionServers(
  input: unknown,
  policy: McpPolicy,
): Record<string, unknown> | null {
  if (input === undefined || input === null) return null;
  const { servers, faults } = parseSessionServers(input, policy);
  for (const [name, server] of Object.entries(servers)) {
    const configured = policy.configured[name];
    if ('definition' in server || configured === undefined) continue;
    faults.push(...(withCredentials(name, configured, server, policy).faults ?? []));
  }
  const [fault] = faults;
  if (fault === undefined) return input as Record<string, unknown>;
  const field = nameOf(['mcpServers', ...fault.path]);
  throw invalidRequest(`'${field}' ${fault.message}`, { field });
}

/** A definition with a session's credentials for it. Header names are case-insensitive. */
function withCredentials(
  name: string,
  definition: McpDefinition,
  { credentials: { headers, env } }: { credentials: Credentials },
  policy: McpPolicy,
): Parsed<McpDefinition> {
  const names = Object.keys(env);
  if (definition.kind === 'http') {
    const message = 'is for servers that are commands';
    if (names.length > 0) return { faults: [{ path: [name, 'env'], message }] };
    const merged = new Headers(definition.headers);
    for (const [header, value] of Object.entries(headers)) merged.set(header, value);
    return { value: { ...definition, headers: Object.fromEntries(merged) } };
  }
  if (Object.keys(headers).length > 0) {
    return { faults: [{ path: [name, 'headers'], message: 'is for servers over http' }] };
  }
  // Some variables make a command run other code (PATH, NODE_OPTIONS): the operator lists those that may be set.
  const refused = policy.sessionStdio
    ? []
    : names.filter((key) => !definition.sessionEnv.includes(key));
  const message = 'is not a variable that sessions may set; the operator lists those in sessionEnv';
  if (refused.length > 0) {
    return { faults: refused.map((key) => ({ path: [name, 'env', key], message })) };
  }
  const secretEnv = [...definition.secretEnv, ...names];
  return { value: { ...definition, env: { ...definition.env, ...env }, secretEnv } };
}

function parseOwn(
  name: string,
  fields: Record<string, unknown>,
  policy: McpPolicy,
): Parsed<SessionServer> {
  if (policy.configured[name] !== undefined) {
    const message = 'is a server of the configuration: give headers or env only, or another name';
    return { faults: [{ path: [name], message }] };
  }
  const { value: definition, faults } = parseDefinition(name, fields, 'session');
  if (faults) return { faults };
  const message = policyProblem(policy, definition, 'session');
  if (message !== undefined) return { faults: [{ path: [name], message }] };
  return { value: { definition } };
}

export interface ServerRequest {
  /** The servers of the turn's agent. Absent: all servers of the configuration. */
  agent?: AgentServers | undefined;
  session: { id: string; mcpServers: Record<string, unknown> | null };
}

/**
 * Resolves the servers of a turn: those of its agent, then those of its session. A session adds servers
 * of its own, and credentials to the agent's servers; it never widens the agent's choice of configured
 * servers. A server that a session defined, or that keeps state, has connections for that session alone.
 */
export function resolveServers(
  policy: McpPolicy,
  { agent, session }: ServerRequest,
): { servers: McpServer[]; problems: McpProblem[] } {
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
  for (const [name, server] of Object.entries(parsed.servers)) {
    const added = addFromSession(name, server, { policy, base: servers.get(name)?.definition });
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
  server: SessionServer,
  { policy, base }: { policy: McpPolicy; base: McpDefinition | undefined },
): Parsed<McpDefinition> {
  const path = [name];
  if ('definition' in server) {
    const message = "is a name of the agent's own servers: choose another";
    return base === undefined ? { value: server.definition } : { faults: [{ path, message }] };
  }
  if (base === undefined) {
    return { faults: [{ path, message: 'has no url, and is no server that the agent has' }] };
  }
  return withCredentials(name, base, server, policy);
}

function asProblem({ path, message }: Fault): McpProblem {
  const [server = 'mcpServers'] = path;
  const field = nameOf(['mcpServers', ...path]);
  return { server: String(server), reason: `${field} of the session ${message}` };
}

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
function policyProblem(
  policy: McpPolicy,
  definition: McpDefinition,
  from: 'agent' | 'session',
): string | undefined {
  if (definition.kind === 'http') return hostProblem(definition.url, policy.hosts);
  if (from === 'agent' || policy.sessionStdio) return undefined;
  return 'has a command: sessions may use MCP servers over http only. Give a url, or set TURNPIKE_MCP_SESSION_STDIO=true on the server';
}

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
