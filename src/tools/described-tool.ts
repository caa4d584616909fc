import type { ToolSpec } from '../storage/shapes/stored-tools.js';
import { parseTool } from './mcp/offered/parse-tool.js';
import type { RegisteredTool } from './registry.js';

/**
 * A tool of which this server has the description alone. It counts as read-only: the server's rules are not about
 * an effect that happens elsewhere, or not at all.
 *
 * @param why it does not run here: the end of a sentence that begins with its name.
 */
export function describedTool(spec: ToolSpec, why: string): RegisteredTool {
  const { name, description, inputSchema, checkInput } = parseTool(spec);
  return {
    name,
    description,
    inputSchema,
    checkInput,
    effect: 'read',
    retry: 'safe',
    open: () => {
      throw new Error(`${name} ${why}`);
    },
  };
}
