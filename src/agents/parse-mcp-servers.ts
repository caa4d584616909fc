import * as z from 'zod/mini';
import { parseValue, within, type Parsed } from '../parsing/parse-value.js';
import type { Fault } from '../parsing/word-issue.js';
import { isPlainObject } from '../platform/json.js';
import { type AgentServers, parseDefinitions } from '../tools/mcp/definitions.js';

const names = z.array(z.string('must be the name of a server'));

/**
 * Parses the `mcp_servers` of an agent: a list of names in `TURNPIKE_MCP_FILE`, or a map of definitions.
 * Absent: all servers of the file. A fault leaves the agent without servers, as a server too few costs a
 * tool, and a server too many grants a right.
 */
export function parseMcpServers(given: unknown): { value?: AgentServers; faults: Fault[] } {
  if (given === undefined) return { faults: [] };
  const { value = { named: [], own: {} }, faults = [] } = within(['mcp_servers'], parse(given));
  return { value, faults };
}

function parse(given: unknown): Parsed<AgentServers> {
  if (Array.isArray(given)) {
    const { value: named, faults } = parseValue(names, given);
    return faults ? { faults } : { value: { named, own: {} } };
  }
  if (!isPlainObject(given)) {
    const message =
      'must be a list of names or a map, for example [github] or {docs: {type: http, url: "https://…"}}';
    return { faults: [{ path: [], message }] };
  }
  const { value: own, faults } = parseDefinitions(given, 'agent');
  return faults ? { faults } : { value: { named: [], own } };
}
