import { invalidRequest } from '../../../errors/typed-error.js';
import { DefinitionFields, type DefinitionProblem } from '../definitions/definition-fields.js';
import { policyProblem, type McpPolicy } from '../definitions/mcp-policy.js';
import type { McpDefinition, StdioDefinition } from '../../mcp-server.js';
import { parseDefinition, parseServerMap } from '../definitions/parse-definitions.js';

/**
 * A session's entry for a server: a definition of its own, or credentials for a server of its
 * agent.
 */
export type SessionServer =
  | { kind: 'own'; definition: McpDefinition }
  | { kind: 'credentials'; credentials: Credentials };

export interface Credentials {
  headers: Record<string, string>;
  env: Record<string, string>;
}

export interface SessionServers {
  servers: Record<string, SessionServer>;
  problems: DefinitionProblem[];
}

/**
 * Parses a session's `mcpServers` under the current policy, which may be stricter than when the session
 * was created. A server that is not allowed is dropped with a problem; the others stay.
 */
export function parseSessionServers(given: unknown, policy: McpPolicy): SessionServers {
  const problems: DefinitionProblem[] = [];
  const servers: Record<string, SessionServer> = {};
  for (const [name, fields] of Object.entries(parseServerMap(given, problems))) {
    const isOwn = ['type', 'command', 'url'].some((key) => fields[key] !== undefined);
    const server = isOwn
      ? parseOwn(name, fields, { policy, problems })
      : parseCredentials(name, fields, problems);
    if (server !== undefined) servers[name] = server;
  }
  return { servers, problems };
}

/**
 * Checks the servers of a new session.
 *
 * @returns the map as given, to be stored.
 * @throws TypedError INVALID_REQUEST that names the field, and never repeats a value.
 */
export function checkSessionServers(
  given: unknown,
  policy: McpPolicy,
): Record<string, unknown> | null {
  if (given === undefined || given === null) return null;
  const { servers, problems } = parseSessionServers(given, policy);
  for (const [name, server] of Object.entries(servers)) {
    const configured = policy.configured[name];
    if (server.kind === 'own' || configured === undefined) continue;
    problems.push(...credentialProblems(name, server.credentials, { configured, policy }));
  }
  const [problem] = problems;
  if (problem === undefined) return given as Record<string, unknown>;
  const field = problem.field === 'mcpServers' ? problem.field : `mcpServers.${problem.field}`;
  throw invalidRequest(`'${field}' ${problem.message}`, { field });
}

/** Adds a session's credentials, checked by `credentialProblems`, to a definition. */
export function withCredentials(definition: McpDefinition, given: Credentials): McpDefinition {
  if (definition.kind === 'http') {
    return { ...definition, headers: mergeHeaders(definition.headers, given.headers) };
  }
  const env = { ...definition.env, ...given.env };
  return { ...definition, env, secretEnv: [...definition.secretEnv, ...Object.keys(given.env)] };
}

/** The faults of a session's credentials for a server. */
export function credentialProblems(
  name: string,
  given: Credentials,
  { configured, policy }: { configured: McpDefinition; policy: McpPolicy },
): DefinitionProblem[] {
  if (configured.kind === 'http') {
    const wrong = Object.keys(given.env).length > 0;
    return wrong ? [{ field: `${name}.env`, message: 'is for servers that are commands' }] : [];
  }
  if (Object.keys(given.headers).length > 0) {
    return [{ field: `${name}.headers`, message: 'is for servers over http' }];
  }
  return policy.sessionStdio ? [] : refuseEnv(name, given, configured);
}

/**
 * Refuses variables that the operator did not list: some make a command run other code (PATH,
 * NODE_OPTIONS).
 */
function refuseEnv(name: string, given: Credentials, server: StdioDefinition): DefinitionProblem[] {
  return Object.keys(given.env)
    .filter((key) => !server.sessionEnv.includes(key))
    .map((key) => ({
      field: `${name}.env.${key}`,
      message: 'is not a variable that sessions may set; the operator lists those in sessionEnv',
    }));
}

function parseOwn(
  name: string,
  fields: Record<string, unknown>,
  { policy, problems }: { policy: McpPolicy; problems: DefinitionProblem[] },
): SessionServer | undefined {
  if (policy.configured[name] !== undefined) {
    const message = 'is a server of the configuration: give headers or env only, or another name';
    problems.push({ field: name, message });
    return undefined;
  }
  const definition = parseDefinition(name, fields, { source: 'session', problems });
  if (definition === undefined) return undefined;
  const message = policyProblem(policy, definition, 'session');
  if (message === undefined) return { kind: 'own', definition };
  problems.push({ field: name, message });
  return undefined;
}

function parseCredentials(
  name: string,
  given: Record<string, unknown>,
  problems: DefinitionProblem[],
): SessionServer | undefined {
  const before = problems.length;
  const fields = new DefinitionFields(given, name, problems);
  fields.onlyKeys(['headers', 'env', 'url']);
  const credentials = { headers: fields.headers('headers'), env: fields.env('env') };
  return problems.length === before ? { kind: 'credentials', credentials } : undefined;
}

/** Merges headers, whose names are case-insensitive. */
function mergeHeaders(
  base: Readonly<Record<string, string>>,
  given: Readonly<Record<string, string>>,
): Record<string, string> {
  const merged = new Headers(base);
  for (const [name, value] of Object.entries(given)) merged.set(name, value);
  return Object.fromEntries(merged);
}
