import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface HttpServer {
  url: string;
  port: number;
  server: Server;
  /** Ends the server and every connection to it. */
  close(): Promise<void>;
}

/** An HTTP server of the test's own, on a free port of this machine. */
export async function serveHttp(
  answer: (request: IncomingMessage, response: ServerResponse) => unknown,
): Promise<HttpServer> {
  const server = createServer((request, response) => void answer(request, response));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  const close = async (): Promise<void> => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  return { url: `http://127.0.0.1:${port}`, port, server, close };
}
