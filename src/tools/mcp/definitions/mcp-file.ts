import { readFile } from 'node:fs/promises';
import { errorCode } from '../../../platform/error-code.js';
import { isPlainObject } from '../../../platform/json.js';
import { pickShellEnv } from '../../calls/pick-shell-env.js';
import type { DefinitionProblem } from './definition-fields.js';
import type { McpDefinition } from '../../mcp-server.js';
import { parseDefinitions } from './parse-definitions.js';

type Environment = Readonly<Record<string, string | undefined>>;

const largestFile = 1_048_576;
const variable = /\$\{([A-Za-z_][A-Za-z0-9_]*)\}/g;

/** The file of MCP servers is not valid; the message lists its faults, one a line. */
export class McpFileError extends Error {
  override readonly name = 'McpFileError';

  constructor(
    readonly file: string,
    readonly problems: readonly DefinitionProblem[],
  ) {
    const lines = problems.map(({ field, message }) => `  - ${file}: ${field} ${message}`);
    super(`TURNPIKE_MCP_FILE is not valid:\n${lines.join('\n')}\nCorrect it and start again.`);
  }
}

/**
 * The servers of the operator's file: `{"mcpServers": {name: definition}}`, with `${NAME}` for
 * variables of the environment.
 *
 * @throws McpFileError that names every fault by its field.
 */
export async function loadMcpFile(
  file: string,
  environment: Environment,
): Promise<Record<string, McpDefinition>> {
  const fail = (field: string, message: string): McpFileError =>
    new McpFileError(file, [{ field, message }]);
  const text = await readFile(file, 'utf8').catch((error: unknown) => {
    throw fail('the file', `cannot be read (${errorCode(error) ?? 'unknown'})`);
  });
  if (text.length > largestFile) throw fail('the file', 'is larger than 1 MiB');
  const content = parseJson(text);
  if (!isPlainObject(content) || content['mcpServers'] === undefined) {
    throw fail('the file', 'must be JSON of the form {"mcpServers": {"name": {…}}}');
  }
  const expanded = expandVariables(content['mcpServers'], environment);
  if (expanded.problems.length > 0) throw new McpFileError(file, expanded.problems);
  const { definitions, problems } = parseDefinitions(expanded.value, 'file');
  if (problems.length > 0) throw new McpFileError(file, problems);
  return definitions;
}

/** Parses JSON; undefined when it is invalid, as the parser's own message would quote the file. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

/**
 * Replaces `${NAME}` by variables of the environment, in every text of a value. A variable that is not
 * set is a problem, and so is a variable of the server itself, whose keys no MCP server may get.
 */
function expandVariables(
  value: unknown,
  environment: Environment,
): { value: unknown; problems: DefinitionProblem[] } {
  const problems: DefinitionProblem[] = [];
  const expand = (item: unknown, field: string): unknown => {
    const below = (key: string): string => (field === '' ? key : `${field}.${key}`);
    if (typeof item === 'string') {
      return item.replace(variable, (_whole, name: string) => {
        const found = pickShellEnv(environment, [name])[name];
        if (found === undefined) {
          const message = `names \${${name}}, which is not set, or is a key of this server itself`;
          problems.push({ field, message });
        }
        return found ?? '';
      });
    }
    if (Array.isArray(item)) return item.map((one, index) => expand(one, below(String(index))));
    if (!isPlainObject(item)) return item;
    return Object.fromEntries(
      Object.entries(item).map(([key, one]) => [key, expand(one, below(key))]),
    );
  };
  return { value: expand(value, ''), problems };
}
