import { randomUUID } from 'node:crypto';
import { type IncomingMessage, type ServerResponse } from 'node:http';
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import {
  CallToolRequestSchema,
  ListToolsRequestSchema,
  McpError,
} from '@modelcontextprotocol/sdk/types.js';
import { serveHttp } from '../serve-http.js';

export interface TellingMcp {
  url: string;
  /** Values of `Authorization` that it received. */
  received: Set<string>;
  close(): Promise<void>;
}

/** Characters in a result of the tool `flood`. */
export const FLOOD = 2_000_000;

/**
 * An MCP server over HTTP that repeats received credentials in results and errors. @param inTools
 * also in the descriptions of its tools.
 */
export async function startTellingMcp({ inTools = false } = {}): Promise<TellingMcp> {
  const received = new Set<string>();
  const transports = new Map<string, StreamableHTTPServerTransport>();
  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { authorization = '' } = request.headers;
    received.add(authorization);
    const id = request.headers['mcp-session-id'];
    const known = typeof id === 'string' ? transports.get(id) : undefined;
    await (known ?? (await begin(authorization))).handleRequest(request, response);
  };
  const begin = async (credential: string): Promise<StreamableHTTPServerTransport> => {
    const transport = new StreamableHTTPServerTransport({
      sessionIdGenerator: () => randomUUID(),
      onsessioninitialized: (id) => void transports.set(id, transport),
    });
    await newServer(credential, inTools).connect(transport);
    return transport;
  };
  const { url, close } = await serveHttp(handle);
  return { url: `${url}/mcp`, received, close };
}

function newServer(credential: string, inTools: boolean): Server {
  const server = new Server(
    { name: credential, version: credential },
    { capabilities: { tools: {} } },
  );
  const inputSchema = { type: 'object' as const };
  server.setRequestHandler(ListToolsRequestSchema, () => ({
    tools: [
      ...['tell', 'fail', 'refuse', 'flood'].map((name) => ({
        name,
        description: inTools ? `Knows ${credential}` : 'Knows something',
        inputSchema,
      })),
      ...(inTools
        ? [{ name: 'odd', inputSchema: { ...inputSchema, properties: { [credential]: {} } } }]
        : []),
    ],
  }));
  server.setRequestHandler(CallToolRequestSchema, ({ params }) => {
    const text = `${params.name}: ${credential} and ${encodeURIComponent(credential)}`;
    if (params.name === 'refuse') throw new McpError(-32_000, text, { told: credential });
    if (params.name === 'flood') return { content: [{ type: 'text', text: 'x'.repeat(FLOOD) }] };
    return { content: [{ type: 'text', text }], isError: params.name === 'fail' };
  });
  return server;
}
