import { parseDefinitions } from '../tools/mcp/definitions/parse-definitions.js';
import type { AgentServers } from '../tools/mcp/servers/mcp-server.js';
import type { FieldParser } from './field-parser.js';

const key = 'mcp_servers';
const example = '[github] or {docs: {type: http, url: "https://…"}}';

/**
 * The MCP servers of an agent: a list of names, as of `TURNPIKE_MCP_FILE`, or a map of definitions.
 * Absent: all of the file. What is wrong in it is named, and leaves the agent without any: a server
 * fewer is a tool fewer, one more is a right that nobody gave.
 */
export function parseMcpServers(reader: FieldParser): AgentServers | undefined {
  const given = reader.given(key);
  if (given === undefined) return undefined;
  const none: AgentServers = { named: [], own: {} };
  if (Array.isArray(given)) {
    const named: unknown[] = given;
    if (named.every((name) => typeof name === 'string')) return { named, own: {} };
    reader.fault(key, `must be a list of names or a map, for example ${example}`);
    return none;
  }
  const { definitions, problems } = parseDefinitions(given, 'agent');
  for (const { field, message } of problems) {
    const place = field === 'mcpServers' ? key : `${key}.${field}`;
    reader.fault(
      place,
      field === 'mcpServers' ? `must be a list or a map, for example ${example}` : message,
    );
  }
  return problems.length > 0 ? none : { named: [], own: definitions };
}
