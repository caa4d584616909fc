import { parseDefinitions } from '../tools/mcp/definitions/parse-definitions.js';
import type { AgentServers } from '../tools/mcp-server.js';
import type { FieldParser } from './field-parser.js';

const key = 'mcp_servers';
const example = '[github] or {docs: {type: http, url: "https://…"}}';

/**
 * Parses the MCP servers of an agent: a list of names in `TURNPIKE_MCP_FILE`, or a map of definitions.
 * Absent: all servers of the file. A fault is reported and leaves the agent without servers, as a server
 * too few costs a tool, and a server too many grants a right.
 */
export function parseMcpServers(fields: FieldParser): AgentServers | undefined {
  const given = fields.given(key);
  if (given === undefined) return undefined;
  const none: AgentServers = { named: [], own: {} };
  if (Array.isArray(given)) {
    const named: unknown[] = given;
    if (named.every((name) => typeof name === 'string')) return { named, own: {} };
    fields.fault(key, `must be a list of names or a map, for example ${example}`);
    return none;
  }
  const { definitions, problems } = parseDefinitions(given, 'agent');
  for (const { field, message } of problems) {
    const path = field === 'mcpServers' ? key : `${key}.${field}`;
    fields.fault(
      path,
      field === 'mcpServers' ? `must be a list or a map, for example ${example}` : message,
    );
  }
  return problems.length > 0 ? none : { named: [], own: definitions };
}
