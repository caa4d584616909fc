import { dirname, resolve } from 'node:path';
import * as z from 'zod/mini';
import { loadFile } from '../../platform/parsing/load-file.js';
import { parseJson } from '../../platform/parsing/parse-text.js';
import {
  parseValue,
  within,
  type Parsed,
  nameOf,
  type Fault,
} from '../../platform/parsing/parse-value.js';
import { onWrongType } from '../../platform/parsing/shapes.js';
import { isPlainObject } from '../../platform/json.js';
import { pickShellEnv } from '../shell-env.js';
import { type McpDefinition, hidden, parseDefinitions } from './definitions.js';

type Environment = Readonly<Record<string, string | undefined>>;

const variable = /\$\{([A-Za-z_][A-Za-z0-9_]*)\}/g;

/** The file as MCP clients have it: the servers, and fields that are ignored. */
const fileShape = z.object(
  { mcpServers: z.unknown().check(z.refine((servers) => servers !== undefined, 'is required')) },
  { error: onWrongType('must be of the form {"mcpServers": {"name": {…}}}') },
);

/**
 * The servers of the operator's file: `{"mcpServers": {name: definition}}`, with `${NAME}` for
 * variables of the environment. A `cwd` or `command` that begins with a dot is relative to the file's folder, and a
 * command without `cwd` runs there: relative paths in its `args` are those of the folder.
 *
 * @throws FileInvalidError that names every fault by its field and line, and never a value.
 */
export function loadMcpFile(
  file: string,
  environment: Environment,
): Promise<Record<string, McpDefinition>> {
  return loadFile(file, {
    variable: 'TURNPIKE_MCP_FILE',
    parseText: parseJson,
    check: (content) => {
      const { value, faults } = parseValue(fileShape, content, hidden);
      if (faults) return { faults };
      const servers = fromFolder(dirname(file), value.mcpServers);
      return within(['mcpServers'], parseServers(servers, environment));
    },
  });
}

/** The servers with the paths and folders of their commands as they are from everywhere. */
function fromFolder(folder: string, servers: unknown): unknown {
  if (!isPlainObject(servers)) return servers;
  const resolved = (value: unknown): unknown =>
    typeof value === 'string' && /^\.{1,2}(?:[\\/]|$)/.test(value) ? resolve(folder, value) : value;
  return Object.fromEntries(
    Object.entries(servers).map(([name, server]) => {
      if (!isPlainObject(server)) return [name, server];
      const { command, cwd } = server;
      if (command === undefined) return [name, server];
      return [name, { ...server, command: resolved(command), cwd: resolved(cwd) ?? folder }];
    }),
  );
}

function parseServers(
  input: unknown,
  environment: Environment,
): Parsed<Record<string, McpDefinition>> {
  const { value, faults: unset } = expandVariables(input, environment);
  const parsed = parseDefinitions(value, 'file');
  // A text without its variable may be wrong for that alone.
  const incomplete = new Set(unset.map(({ path }) => nameOf(path)));
  const wrong = parsed.faults?.filter(({ path }) => !incomplete.has(nameOf(path))) ?? [];
  const faults = [...unset, ...wrong];
  return faults.length > 0 ? { faults } : parsed;
}

/**
 * Replaces `${NAME}` by variables of the environment, in every text of a value. A variable that is not
 * set is a fault, and so is a variable of the server itself, whose keys no MCP server may get.
 */
function expandVariables(
  value: unknown,
  environment: Environment,
): { value: unknown; faults: Fault[] } {
  const faults: Fault[] = [];
  const expand = (item: unknown, path: Fault['path']): unknown => {
    if (typeof item === 'string') {
      return item.replace(variable, (_whole, name: string) => {
        const found = pickShellEnv(environment, [name])[name];
        if (found === undefined) {
          const message = `names \${${name}}, which is not set, or is a key of this server itself`;
          faults.push({ path, message });
        }
        return found ?? '';
      });
    }
    if (Array.isArray(item)) return item.map((one, index) => expand(one, [...path, index]));
    if (!isPlainObject(item)) return item;
    return Object.fromEntries(
      Object.entries(item).map(([key, one]) => [key, expand(one, [...path, key])]),
    );
  };
  return { value: expand(value, []), faults };
}
