import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import {
  createMcpHandler,
  type McpHttpHandler,
  type McpServerFactory,
} from '@modelcontextprotocol/server';
import { serveHttp } from '../serve-http.js';

/** A server of the protocol of 2026-07-28, on a free port of this machine. */
export interface ModernMcp extends Pick<McpHttpHandler, 'notify'> {
  url: string;
  close(): Promise<void>;
}

/** @param onRequest sees the headers of each request. */
export async function serveModernMcp(
  newServer: McpServerFactory,
  onRequest: (headers: Headers) => void = () => undefined,
): Promise<ModernMcp> {
  const handler = createMcpHandler(newServer, { legacy: 'reject' });
  const served = await serveHttp(async (request, response) => {
    const stop = new AbortController();
    response.on('close', () => stop.abort());
    const headers = new Headers(
      Object.entries(request.headers).map(([name, value]): [string, string] => [
        name,
        String(value),
      ]),
    );
    onRequest(headers);
    const body = request.method === 'POST' ? { body: await text(request) } : {};
    const init = { method: request.method ?? 'GET', headers, signal: stop.signal, ...body };
    const answer = await handler.fetch(new Request(`http://localhost${request.url}`, init));
    response.writeHead(answer.status, [...answer.headers].flat());
    if (answer.body === null) return void response.end();
    Readable.fromWeb(answer.body).pipe(response);
  });
  return {
    url: `${served.url}/mcp`,
    notify: handler.notify,
    close: async () => {
      await handler.close();
      await served.close();
    },
  };
}
