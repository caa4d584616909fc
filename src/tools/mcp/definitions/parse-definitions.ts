import * as z from 'zod/mini';
import { parseLeniently, parseValue, within, type Parsed } from '../../../parsing/parse-value.js';
import { onWrongType } from '../../../parsing/shapes.js';
import type { Fault, Wording } from '../../../parsing/word-issue.js';
import { secretNames, type McpDefinition } from '../../mcp-server.js';
import { httpShapes, stdioShapes } from './definition-shapes.js';

/** The author of a definition: only the operator's file may declare a server trusted. */
export type DefinitionSource = 'file' | 'agent' | 'session';

/** Values may be credentials: no fault repeats them. */
export const hidden: Wording = { showsGiven: false };

const mostServers = 32;
const nameExpected =
  "is not a name: use 1 to 32 of a-z A-Z 0-9 _ -, no '_' at an end and no two of them";
const httpTypes: readonly unknown[] = ['http', 'streamable-http'];

/** A map of names to servers, whose fields are parsed apart. */
const serverMap = z.prefault(
  z
    .record(
      z.string().check(z.regex(/^(?!_)(?!.*__)[a-zA-Z0-9_-]{1,32}(?<!_)$/, nameExpected)),
      z.record(z.string(), z.unknown(), 'must be a map with a command or a url'),
      { error: onWrongType('must be a map of names to servers') },
    )
    .check(
      z.refine(
        (servers) => Object.keys(servers).length <= mostServers,
        `must have at most ${mostServers} servers`,
      ),
    ),
  {},
);

const untrusted = { trustAnnotations: false, perSession: false };

/** The entries of a map of servers with a valid name and a map as their value, and the faults of the others. */
export function parseServerMap(given: unknown): {
  value: Record<string, Record<string, unknown>>;
  faults: Fault[];
} {
  return parseLeniently(serverMap, given, hidden);
}

/** Parses a map of names to definitions, in the shape common to clients of MCP. */
export function parseDefinitions(
  given: unknown,
  source: DefinitionSource,
): Parsed<Record<string, McpDefinition>> {
  const { value: servers, faults } = parseServerMap(given);
  const definitions: Record<string, McpDefinition> = {};
  for (const [name, fields] of Object.entries(servers)) {
    const parsed = parseDefinition(name, fields, source);
    if (parsed.faults) faults.push(...parsed.faults);
    else definitions[name] = parsed.value;
  }
  return faults.length > 0 ? { faults } : { value: definitions };
}

/** Parses the definition of the server `name`, which the paths of its faults begin with. */
export function parseDefinition(
  name: string,
  given: Record<string, unknown>,
  source: DefinitionSource,
): Parsed<McpDefinition> {
  const { type = given['url'] === undefined ? 'stdio' : 'http' } = given;
  if (httpTypes.includes(type)) return within([name], parseHttp(given, source));
  if (type === 'stdio') return within([name], parseStdio(given, source));
  const message = type === 'sse' ? 'sse is the older transport; use http' : 'must be stdio or http';
  return { faults: [{ path: [name, 'type'], message }] };
}

function parseHttp(given: unknown, source: DefinitionSource): Parsed<McpDefinition> {
  const { value, faults } = parseValue(httpShapes[source], given, hidden);
  if (faults) return { faults };
  const { type: _type, ...fields } = value;
  return { value: { kind: 'http', ...untrusted, ...fields } };
}

function parseStdio(given: unknown, source: DefinitionSource): Parsed<McpDefinition> {
  const { value, faults } = parseValue(stdioShapes[source], given, hidden);
  if (faults) return { faults };
  const { type: _type, ...fields } = value;
  // All variables of a session are its secrets, whatever their names.
  const secretEnv = source === 'session' ? Object.keys(fields.env) : secretNames(fields.env);
  return { value: { kind: 'stdio', secretEnv, sessionEnv: [], ...untrusted, ...fields } };
}
