import type { RegisteredTool } from '../../registry.js';
import type { RetryClass, ToolEffect } from '../../tool.js';
import { callTool } from './call-tool.js';
import type { McpConnection } from '../servers/connection.js';
import type { McpServer } from '../servers/mcp-server.js';
import type { McpTool } from './parse-tool.js';
import { toolName } from './tool-name.js';

/** A server's tools as a turn has them. They live as long as the connection is held. */
export function offerTools(
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
      open: () => ({
        run: (input, call) => callTool(connection, { tool: tool.name, retry, input, call }),
      }),
    };
  });
}

/** What a server says of its tools is a hint: only one that the operator trusts is believed. */
function traitsOf(
  { readOnly, idempotent }: McpTool,
  trusted: boolean,
): { effect: ToolEffect; retry: RetryClass } {
  if (!trusted) return { effect: 'command', retry: 'never' };
  if (readOnly) return { effect: 'read', retry: 'safe' };
  return { effect: 'command', retry: idempotent ? 'idempotent' : 'never' };
}
