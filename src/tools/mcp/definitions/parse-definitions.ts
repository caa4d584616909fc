import { compact } from '../../../platform/compact.js';
import { isPlainObject } from '../../../platform/json.js';
import { DefinitionFields, type DefinitionProblem } from './definition-fields.js';
import {
  secretNames,
  type HttpDefinition,
  type McpDefinition,
  type StdioDefinition,
} from '../../mcp-server.js';

/** The author of a definition: only the operator's file may declare a server trusted. */
export type DefinitionSource = 'file' | 'agent' | 'session';

export const mostServers = 32;

const serverName = /^(?!_)(?!.*__)[a-zA-Z0-9_-]{1,32}(?<!_)$/;
const httpTypes = ['http', 'streamable-http'];
const traits: Readonly<Record<DefinitionSource, readonly string[]>> = {
  file: ['trustAnnotations', 'perSession'],
  agent: ['perSession'],
  session: [],
};

export interface ParsedDefinitions {
  definitions: Record<string, McpDefinition>;
  problems: DefinitionProblem[];
}

/** Parses a map of names to definitions, in the shape common to clients of MCP. */
export function parseDefinitions(given: unknown, source: DefinitionSource): ParsedDefinitions {
  const problems: DefinitionProblem[] = [];
  const definitions: Record<string, McpDefinition> = {};
  for (const [name, fields] of Object.entries(parseServerMap(given, problems))) {
    const definition = parseDefinition(name, fields, { source, problems });
    if (definition !== undefined) definitions[name] = definition;
  }
  return { definitions, problems };
}

/** The entries of a map of servers that have a valid name and a map as their value. */
export function parseServerMap(
  given: unknown,
  problems: DefinitionProblem[],
): Record<string, Record<string, unknown>> {
  if (!isPlainObject(given)) {
    problems.push({ field: 'mcpServers', message: 'must be a map of names to servers' });
    return {};
  }
  const entries = Object.entries(given);
  if (entries.length > mostServers) {
    problems.push({ field: 'mcpServers', message: `must have at most ${mostServers} servers` });
    return {};
  }
  const named = entries.flatMap(([name, fields]): [string, Record<string, unknown>][] => {
    const wrong = serverName.test(name)
      ? 'must be a map with a command or a url'
      : "is not a name: use 1 to 32 of a-z A-Z 0-9 _ -, no '_' at an end and no two of them";
    if (serverName.test(name) && isPlainObject(fields)) return [[name, fields]];
    problems.push({ field: name.slice(0, 60), message: wrong });
    return [];
  });
  return Object.fromEntries(named);
}

/** Parses a definition. @returns undefined when it is not valid, with the faults in `problems`. */
export function parseDefinition(
  name: string,
  given: Record<string, unknown>,
  { source, problems }: { source: DefinitionSource; problems: DefinitionProblem[] },
): McpDefinition | undefined {
  const before = problems.length;
  const fields = new DefinitionFields(given, name, problems);
  const kind = kindOf(fields);
  if (kind === undefined) return undefined;
  const definition =
    kind === 'http' ? parseHttp(fields, traits[source]) : parseStdio(fields, source);
  return problems.length === before ? definition : undefined;
}

function kindOf(fields: DefinitionFields): 'stdio' | 'http' | undefined {
  const type = fields.text('type');
  if (type === 'sse') return fields.report('type', 'sse is the older transport; use http');
  if (type !== undefined && type !== 'stdio' && !httpTypes.includes(type)) {
    return fields.report('type', 'must be stdio or http');
  }
  const isHttp = type === undefined ? fields.has('url') : type !== 'stdio';
  const needed = isHttp ? 'url' : 'command';
  if (!fields.has(needed)) return fields.report('', `needs a ${needed}`);
  return isHttp ? 'http' : 'stdio';
}

function parseHttp(
  fields: DefinitionFields,
  allowed: readonly string[],
): HttpDefinition | undefined {
  fields.onlyKeys(['type', 'url', 'headers', ...allowed]);
  const url = fields.url('url');
  if (url === undefined) return undefined;
  return { kind: 'http', url, headers: fields.headers('headers'), ...parseTraits(fields) };
}

function parseStdio(
  fields: DefinitionFields,
  source: DefinitionSource,
): StdioDefinition | undefined {
  const forSessions = source === 'session' ? [] : ['sessionEnv'];
  fields.onlyKeys(['type', 'command', 'args', 'env', 'cwd', ...forSessions, ...traits[source]]);
  const command = fields.text('command');
  if (command === undefined) return undefined;
  const cwd = fields.folder('cwd');
  const env = fields.env('env');
  return {
    kind: 'stdio',
    command,
    args: fields.texts('args'),
    env,
    // All variables of a session are its secrets, whatever their names.
    secretEnv: source === 'session' ? Object.keys(env) : secretNames(env),
    sessionEnv: fields.texts('sessionEnv'),
    ...compact({ cwd }),
    ...parseTraits(fields),
  };
}

function parseTraits(
  fields: DefinitionFields,
): Pick<McpDefinition, 'trustAnnotations' | 'perSession'> {
  return {
    trustAnnotations: fields.flag('trustAnnotations'),
    perSession: fields.flag('perSession'),
  };
}
