import { invalidRequest } from '../../../errors/typed-error.js';
import { nameOf, type Fault } from '../../../parsing/word-issue.js';
import { parseValue, within, type Parsed } from '../../../parsing/parse-value.js';
import { credentialsShape } from '../definitions/definition-shapes.js';
import { policyProblem, type McpPolicy } from '../definitions/mcp-policy.js';
import type { McpDefinition, StdioDefinition } from '../../mcp-server.js';
import { hidden, parseDefinition, parseServerMap } from '../definitions/parse-definitions.js';

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
  faults: Fault[];
}

/**
 * Parses a session's `mcpServers` under the current policy, which may be stricter than when the session
 * was created. A server that is not allowed is dropped with a problem; the others stay.
 */
export function parseSessionServers(given: unknown, policy: McpPolicy): SessionServers {
  const { value: map, faults } = parseServerMap(given);
  const servers: Record<string, SessionServer> = {};
  for (const [name, fields] of Object.entries(map)) {
    const isOwn = ['type', 'command', 'url'].some((key) => fields[key] !== undefined);
    const parsed = isOwn ? parseOwn(name, fields, policy) : parseCredentials(name, fields);
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
  given: unknown,
  policy: McpPolicy,
): Record<string, unknown> | null {
  if (given === undefined || given === null) return null;
  const { servers, faults } = parseSessionServers(given, policy);
  for (const [name, server] of Object.entries(servers)) {
    const configured = policy.configured[name];
    if (server.kind === 'own' || configured === undefined) continue;
    faults.push(...credentialFaults(name, server.credentials, { configured, policy }));
  }
  const [fault] = faults;
  if (fault === undefined) return given as Record<string, unknown>;
  const field = nameOf(['mcpServers', ...fault.path]);
  throw invalidRequest(`'${field}' ${fault.message}`, { field });
}

/** Adds a session's credentials, checked by `credentialFaults`, to a definition. */
export function withCredentials(definition: McpDefinition, given: Credentials): McpDefinition {
  if (definition.kind === 'http') {
    return { ...definition, headers: mergeHeaders(definition.headers, given.headers) };
  }
  const env = { ...definition.env, ...given.env };
  return { ...definition, env, secretEnv: [...definition.secretEnv, ...Object.keys(given.env)] };
}

/** The faults of a session's credentials for a server. */
export function credentialFaults(
  name: string,
  given: Credentials,
  { configured, policy }: { configured: McpDefinition; policy: McpPolicy },
): Fault[] {
  if (configured.kind === 'http') {
    const wrong = Object.keys(given.env).length > 0;
    return wrong ? [{ path: [name, 'env'], message: 'is for servers that are commands' }] : [];
  }
  if (Object.keys(given.headers).length > 0) {
    return [{ path: [name, 'headers'], message: 'is for servers over http' }];
  }
  return policy.sessionStdio ? [] : refuseEnv(name, given, configured);
}

/**
 * Refuses variables that the operator did not list: some make a command run other code (PATH,
 * NODE_OPTIONS).
 */
function refuseEnv(name: string, given: Credentials, server: StdioDefinition): Fault[] {
  return Object.keys(given.env)
    .filter((key) => !server.sessionEnv.includes(key))
    .map((key) => ({
      path: [name, 'env', key],
      message: 'is not a variable that sessions may set; the operator lists those in sessionEnv',
    }));
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
  return { value: { kind: 'own', definition } };
}

function parseCredentials(name: string, given: Record<string, unknown>): Parsed<SessionServer> {
  const { value: credentials, faults } = within(
    [name],
    parseValue(credentialsShape, given, hidden),
  );
  return faults ? { faults } : { value: { kind: 'credentials', credentials } };
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
