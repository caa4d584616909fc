import { randomUUID } from 'node:crypto';
import { type IncomingMessage, type ServerResponse } from 'node:http';
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { CallToolRequestSchema, ListToolsRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { serveHttp } from '../serve-http.js';

export interface McpHttp {
  url: string;
  port: number;
  /** The number of clients that initialized. */
  sessions(): number;
  /** Forgets every session, as a restarted server does. */
  forget(): void;
  /** Breaks every connection, in the middle of whatever it carries. */
  breakConnections(): void;
  close(): Promise<void>;
}

/**
 * An MCP server over HTTP on loopback. It takes `Authorization: Bearer right-…` only, repeats a
 * wrong one in its refusal, and redirects `/moved` to another host.
 */
export async function startMcpHttp(): Promise<McpHttp> {
  const transports = new Map<string, StreamableHTTPServerTransport>();
  let sessions = 0;
  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { authorization = '' } = request.headers;
    if (request.url === '/moved') {
      response.writeHead(307, { location: 'http://169.254.169.254/' }).end();
      return;
    }
    if (!authorization.startsWith('Bearer right-')) {
      response.writeHead(401).end(`not taken: ${authorization}`);
      return;
    }
    const id = request.headers['mcp-session-id'];
    const known = typeof id === 'string' ? transports.get(id) : undefined;
    if (known === undefined && id !== undefined) {
      response.writeHead(404).end('no such session');
      return;
    }
    await (known ?? (await begin())).handleRequest(request, response);
  };
  const begin = async (): Promise<StreamableHTTPServerTransport> => {
    sessions += 1;
    const transport = new StreamableHTTPServerTransport({
      sessionIdGenerator: () => randomUUID(),
      onsessioninitialized: (id) => void transports.set(id, transport),
    });
    await newServer().connect(transport);
    return transport;
  };
  const { url, port, server, close } = await serveHttp(handle);
  return {
    url: `${url}/mcp`,
    port,
    sessions: () => sessions,
    forget: () => transports.clear(),
    breakConnections: () => server.closeAllConnections(),
    close,
  };
}

function newServer(): Server {
  const server = new Server({ name: 'http', version: '1' }, { capabilities: { tools: {} } });
  const inputSchema = { type: 'object' as const };
  server.setRequestHandler(ListToolsRequestSchema, () => ({
    tools: [
      { name: 'headers', inputSchema },
      { name: 'hang', inputSchema },
    ],
  }));
  server.setRequestHandler(CallToolRequestSchema, ({ params }, extra) => {
    if (params.name === 'hang') return new Promise(() => undefined);
    const text = JSON.stringify(extra.requestInfo?.headers ?? {});
    return { content: [{ type: 'text', text }] };
  });
  return server;
}
