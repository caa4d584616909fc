import { readFile } from 'node:fs/promises';
import { errorCode } from '../../../platform/error-code.js';
import { isPlainObject } from '../../../platform/json.js';
import type { FieldProblem } from './definition-fields.js';
import { expandVariables } from './expand-variables.js';
import type { McpDefinition } from '../servers/mcp-server.js';
import { parseDefinitions } from './parse-definitions.js';

const largestFile = 1_048_576;

/** The file of MCP servers has faults; the message lists them, one a line. */
export class McpFileError extends Error {
  override readonly name = 'McpFileError';

  constructor(
    readonly file: string,
    readonly problems: readonly FieldProblem[],
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
  environment: Readonly<Record<string, string | undefined>>,
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

/** Undefined for what is no JSON: the parser's own message would quote the file. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
