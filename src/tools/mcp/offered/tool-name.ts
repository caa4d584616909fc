import { createHash } from 'node:crypto';

const longest = 64;

/**
 * The name the model calls a server's tool by: `mcp__<server>__<tool>`. Other characters than
 * `a-z A-Z 0-9 _ -` become `_`, and a long name is cut; then a hash of the tool's own name ends it,
 * so that two tools stay two. A server's name has no `__` and no `_` at its end, so no tool of one
 * server can take the name of another's.
 */
export function toolName(server: string, tool: string): string {
  const prefix = `mcp__${server}__`;
  const plain = tool.replace(/[^a-zA-Z0-9_-]/g, '_');
  if (plain === tool && prefix.length + plain.length <= longest) return prefix + plain;
  const hash = createHash('sha256').update(tool).digest('hex').slice(0, 8);
  return `${prefix}${plain.slice(0, longest - prefix.length - hash.length - 1)}_${hash}`;
}
