import { createHash } from 'node:crypto';

const longest = 64;

/**
 * The model's name for a server's tool: `mcp__<server>__<tool>`. Characters other than
 * `a-z A-Z 0-9 _ -` become `_`, and a long name is cut; a hash of the original name then keeps names
 * distinct. A server's name has no `__` and does not end in `_`, so the tools of two servers never
 * have the same name.
 */
export function toolName(server: string, tool: string): string {
  const prefix = `mcp__${server}__`;
  const plain = tool.replace(/[^a-zA-Z0-9_-]/g, '_');
  if (plain === tool && prefix.length + plain.length <= longest) return prefix + plain;
  const hash = createHash('sha256').update(tool).digest('hex').slice(0, 8);
  return `${prefix}${plain.slice(0, longest - prefix.length - hash.length - 1)}_${hash}`;
}
