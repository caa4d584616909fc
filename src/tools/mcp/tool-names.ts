import { createHash } from 'node:crypto';

/** Characters of a tool's name: the provider takes no longer one. */
const MAX_NAME_CHARS = 64;

/** The beginning of the names of all tools of MCP servers, and of no other tool. */
export const MCP_PREFIX = 'mcp__';

/** Most MCP tools of a request: the provider refuses more than 10,000 in all, those of the server and clients with them. */
export const MAX_MCP_TOOLS = 9_500;

/** The beginning of the names of a server's tools. */
export function prefixOf(server: string): string {
  return `${MCP_PREFIX}${server}__`;
}

/** The MCP server of a tool; undefined for any other tool. */
export function serverOf(tool: string): string | undefined {
  return /^mcp__(.+?)__/.exec(tool)?.[1];
}

/** The name of the tool by which a model asks its person to log in at a server. */
export function authorizeName(server: string): string {
  return `${prefixOf(server)}authorize`;
}

/**
 * The model's name for a server's tool: `mcp__<server>__<tool>`. Characters other than
 * `a-z A-Z 0-9 _ -` become `_`, and a long name is cut; a hash of the original name then keeps names
 * distinct. A server's name has no `__` and does not end in `_`, so the tools of two servers never
 * have the same name.
 */
export function toolName(server: string, tool: string): string {
  const prefix = prefixOf(server);
  const plain = tool.replace(/[^a-zA-Z0-9_-]/g, '_');
  if (plain === tool && prefix.length + plain.length <= MAX_NAME_CHARS) return prefix + plain;
  const hash = createHash('sha256').update(tool).digest('hex').slice(0, 8);
  return `${prefix}${plain.slice(0, MAX_NAME_CHARS - prefix.length - hash.length - 1)}_${hash}`;
}
