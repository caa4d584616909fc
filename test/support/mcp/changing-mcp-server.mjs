/**
 * An MCP server as a process whose tools change: `node changing-mcp-server.mjs NAME…` lists tools of these names and
 * `become`, which replaces their list by another and announces the change before its answer. Every tool answers its
 * name. A name has a description after a colon: `find:Finds words`.
 */
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { CallToolRequestSchema, ListToolsRequestSchema } from '@modelcontextprotocol/sdk/types.js';

let names = process.argv.slice(2);

const toolOf = (given) => {
  const [name, description = `Does ${name}`] = given.split(':');
  return {
    name,
    description,
    inputSchema: { type: 'object', properties: { text: { type: 'string' } } },
  };
};
const become = {
  name: 'become',
  description: 'Replaces the tools',
  inputSchema: { type: 'object', properties: { names: { type: 'array' } } },
};

const server = new Server(
  { name: 'changing', version: '1' },
  { capabilities: { tools: { listChanged: true } } },
);
server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: [...names.map(toolOf), become] }));
server.setRequestHandler(CallToolRequestSchema, async ({ params }) => {
  if (params.name === 'become') {
    names = params.arguments.names;
    await server.sendToolListChanged();
  }
  return { content: [{ type: 'text', text: `${params.name} was called` }] };
});
await server.connect(new StdioServerTransport());
