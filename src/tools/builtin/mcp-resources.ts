import { compact } from '../../platform/compact.js';
import { ToolFailure, type ToolDefinition } from '../tool.js';

export const RESOURCES_TOOL = 'mcp_resources';

/** Lists and reads what MCP servers offer beside their tools. Its bytes are the same whatever servers there are. */
export const resourcesTool: ToolDefinition = {
  name: RESOURCES_TOOL,
  effect: 'read',
  retry: 'safe',
  permissionArgument: { name: 'server', kind: 'text' },
  description:
    'List or read resources of an MCP server. With uri: read that one, for example from a link in the result of a tool. Without: list resources and templates of the server.',
  inputSchema: {
    type: 'object',
    properties: {
      server: {
        type: 'string',
        minLength: 1,
        maxLength: 32,
        description: 'Name of the server, as in mcp__<server>__<tool>.',
      },
      uri: { type: 'string', minLength: 1, maxLength: 4096, description: 'What to read.' },
      cursor: { type: 'string', maxLength: 4096, description: 'From a list that has more.' },
    },
    required: ['server'],
    additionalProperties: false,
  },
  open: ({ resources }) => ({
    run: async ({ server, uri, cursor }, call) => {
      if (typeof server !== 'string') throw new ToolFailure('mcp_resources: server must be text');
      if (resources === undefined) {
        throw new ToolFailure('No MCP server of this turn has resources.');
      }
      if (typeof uri === 'string') return resources.read({ server, uri }, call);
      const from = compact({ cursor: typeof cursor === 'string' ? cursor : undefined });
      return resources.list({ server, ...from }, call);
    },
  }),
};
