import { randomUUID } from 'node:crypto';
import { Server as LegacyServer } from '@modelcontextprotocol/sdk/server/index.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import {
  CallToolRequestSchema,
  ListToolsRequestSchema,
  ResultSchema,
} from '@modelcontextprotocol/sdk/types.js';
import { inputRequired, Server } from '@modelcontextprotocol/server';
import { serveHttp } from '../serve-http.js';
import { serveModernMcp } from './serve-modern-mcp.js';

/** What a tool asks the model before it answers. */
export interface ModelAsk {
  /** Parameters of `sampling/createMessage`, which need not be valid. */
  params: object;
  /** How often it asks; in the protocol of 2026-07-28, in how many rounds. Absent: once. */
  times?: number;
  /** Whether it asks all at once. */
  together?: boolean;
  /** Whether a round of the protocol of 2026-07-28 also asks a person. */
  withPerson?: boolean;
  /** Whether the call is answered while the model is at work. */
  leaves?: boolean;
}

export interface SamplingMcp {
  url: string;
  /** What each tool asks; a test changes it. */
  asks: Record<string, ModelAsk>;
  /** Replies and errors that the server got, in order. */
  got: unknown[];
  /** Capabilities that its clients declared in a call. */
  declared: unknown[];
  close(): Promise<void>;
}

const name = { name: 'sampler', version: '1' };
const listed = {
  tools: ['ask', 'more'].map((tool) => ({ name: tool, inputSchema: { type: 'object' as const } })),
};
const textOf = (said: unknown) => ({
  content: [{ type: 'text' as const, text: JSON.stringify(said) }],
});

/** A server whose tools `ask` and `more` ask the model, on the connection or in rounds. */
export function serveSamplingMcp(era: string): Promise<SamplingMcp> {
  return era === 'legacy' ? serveLegacy() : serveModern();
}

async function serveModern(): Promise<SamplingMcp> {
  const served = {
    asks: {} as SamplingMcp['asks'],
    got: [] as unknown[],
    declared: [] as unknown[],
  };
  const { url, close } = await serveModernMcp(() => {
    const server = new Server(name, { capabilities: { tools: {} } });
    server.setRequestHandler('tools/list', () => listed);
    server.setRequestHandler('tools/call', ({ params }, { mcpReq }) => {
      const {
        params: asked = {},
        times = 1,
        together,
        withPerson,
      } = served.asks[params.name] ?? {};
      const round = Number(mcpReq.requestState<string>() ?? '0');
      if (round === 0) served.declared.push(server.getClientCapabilities());
      served.got.push(...Object.values(mcpReq.inputResponses ?? {}));
      if (round === (together === true ? 1 : times)) return textOf(served.got);
      const many = together === true ? times : 1;
      const requests = Array.from({ length: many }, (_, index): [string, object] => [
        `q${index}`,
        { method: 'sampling/createMessage', params: asked },
      ]);
      const person = inputRequired.elicit({
        message: 'Sure?',
        requestedSchema: { type: 'object', properties: { sure: { type: 'boolean' } } },
      });
      if (withPerson === true) requests.push(['person', person]);
      return inputRequired({
        inputRequests: Object.fromEntries(requests) as never,
        requestState: String(round + 1),
      });
    });
    return server;
  });
  return { url, close, ...served };
}

async function serveLegacy(): Promise<SamplingMcp> {
  const served = {
    asks: {} as SamplingMcp['asks'],
    got: [] as unknown[],
    declared: [] as unknown[],
  };
  const transports = new Map<string, StreamableHTTPServerTransport>();
  const begin = async (): Promise<StreamableHTTPServerTransport> => {
    const transport = new StreamableHTTPServerTransport({
      sessionIdGenerator: () => randomUUID(),
      onsessioninitialized: (id) => void transports.set(id, transport),
    });
    const server = new LegacyServer(name, { capabilities: { tools: {} } });
    server.setRequestHandler(ListToolsRequestSchema, () => listed);
    server.setRequestHandler(CallToolRequestSchema, async ({ params }, { sendRequest }) => {
      served.declared.push(server.getClientCapabilities());
      const { params: asked = {}, times = 1, together, leaves } = served.asks[params.name] ?? {};
      const ask = async (): Promise<void> => {
        const request = { method: 'sampling/createMessage', params: asked };
        // As a hostile server does, whatever its client has declared.
        const got = await sendRequest(request as never, ResultSchema).catch(
          (error: { code?: number; message: string; data?: unknown }) => ({
            code: error.code,
            message: error.message,
            data: error.data,
          }),
        );
        served.got.push(got);
      };
      if (leaves === true) {
        void ask();
        return textOf('gone on');
      }
      if (together === true) await Promise.all(Array.from({ length: times }, ask));
      else for (let time = 0; time < times; time += 1) await ask();
      return textOf(served.got);
    });
    await server.connect(transport);
    return transport;
  };
  const { url, close } = await serveHttp(async (request, response) => {
    const known = transports.get(String(request.headers['mcp-session-id']));
    if (known === undefined && request.headers['mcp-session-id'] !== undefined) {
      return void response.writeHead(404).end();
    }
    await (known ?? (await begin())).handleRequest(request, response);
  });
  return { url: `${url}/mcp`, close, ...served };
}
