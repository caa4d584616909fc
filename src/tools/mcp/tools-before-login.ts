import type { ToolSpec } from '../../storage/shapes/stored-options.js';
import { describedTool, type RegisteredTool } from '../registry.js';
import { adaptTools, connectForCall } from './call-tool.js';
import type { McpConnection } from './connection.js';
import type { McpServer } from './definitions.js';
import { parseTool, type McpTool } from './offered-tools.js';
import { authorizeName, prefixOf } from './tool-names.js';

/**
 * The tools of a server that lists none before a log-in: those that the session's model was shown, whose calls ask for
 * the log-in; otherwise a tool that does nothing but ask for it.
 */
export function toolsBeforeLogin(
  server: McpServer,
  listed: readonly ToolSpec[],
  connection: McpConnection,
): RegisteredTool[] {
  const prefix = prefixOf(server.name);
  const own = listed.filter(({ name }) => name.startsWith(prefix));
  const known = own
    .filter(({ name }) => name !== authorizeName(server.name))
    .map((spec) => asListed(spec, prefix));
  const hasAuthorize = known.length === 0 || own.length > known.length;
  return [
    ...adaptTools(server, known, connection),
    ...(hasAuthorize ? [authorizeTool(server.name, connection)] : []),
  ];
}

function asListed({ name, description, inputSchema }: ToolSpec, prefix: string): McpTool {
  return parseTool({ name: name.slice(prefix.length), description, inputSchema });
}

export function authorizeTool(server: string, connection: McpConnection): RegisteredTool {
  const spec = {
    name: authorizeName(server),
    description: `Asks the user to log in at the MCP server ${server}, whose tools are listed after that. Call it when a task needs that server.`,
    inputSchema: { type: 'object', properties: {} },
  };
  return {
    ...describedTool(spec, ''),
    effect: 'read',
    retry: 'safe',
    open: () => ({
      run: async (_input, call) => {
        const { listed } = await connectForCall(connection, call);
        const names = listed.tools.map((tool) => tool.name).join(', ');
        return `The user is logged in at the MCP server ${server}. Its tools: ${names === '' ? 'none' : names}.`;
      },
    }),
  };
}
