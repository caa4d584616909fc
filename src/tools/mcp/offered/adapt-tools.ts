import type { RegisteredTool } from '../../registry.js';
import type { ToolEffect } from '../../../governance/permission-subject.js';
import type { RetryClass } from '../../tool.js';
import { callTool } from './call-tool.js';
import type { McpConnection } from '../servers/connection.js';
import type { McpServer } from '../../mcp-server.js';
import type { McpTool } from './parse-tool.js';
import { toolName } from './tool-name.js';
import { compact } from '../../../platform/compact.js';

/** A server's tools as a turn calls them, for as long as the turn has the connection. */
export function adaptTools(
  { name: server, definition }: McpServer,
  tools: readonly McpTool[],
  connection: McpConnection,
): RegisteredTool[] {
  return tools.map((tool) => {
    const { effect, retry } = traitsOf(tool, definition.trustAnnotations);
    return {
      name: toolName(server, tool.name),
      description: connection.redact(tool.description),
      inputSchema: tool.inputSchema,
      checkInput: tool.checkInput,
      effect,
      retry,
      takesExact: true,
      timeLimit: compact({ ms: definition.timeout, mostMs: connection.progressMs }),
      open: () => ({
        run: (input, call) => callTool(connection, { tool: tool.name, retry, input, call }),
      }),
    };
  });
}

/**
 * The traits of a tool. A server's annotations are hints, used only when the operator trusts the
 * server.
 */
function traitsOf(
  { readOnly, idempotent }: McpTool,
  trusted: boolean,
): { effect: ToolEffect; retry: RetryClass } {
  if (!trusted) return { effect: 'command', retry: 'never' };
  if (readOnly) return { effect: 'read', retry: 'safe' };
  return { effect: 'command', retry: idempotent ? 'idempotent' : 'never' };
}
