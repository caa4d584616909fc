import { createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { CLI_REDIRECT_PORT } from '../../platform/net/addresses.js';

const PATH = '/callback';

/** A page on this machine that a log-in comes back to. */
export interface LoopbackPage {
  url: string;
  /** The query of the answer. Rejects where none came in time. */
  answer: Promise<string>;
  close(): void;
}

/** Opens the page, on a free port where its own is taken. @param ms how long it waits. */
export async function openLoopbackPage(ms: number): Promise<LoopbackPage> {
  const server = createServer();
  const answer = new Promise<string>((resolve, reject) => {
    server.on('request', (request, response) => {
      const { pathname, search } = new URL(request.url ?? '', 'http://127.0.0.1');
      const isAnswer = request.method === 'GET' && pathname === PATH && search !== '';
      response.writeHead(isAnswer ? 200 : 404, { 'Content-Type': 'text/plain; charset=utf-8' });
      response.end(
        isAnswer ? 'The terminal has the answer. You can close this page.' : 'Not here.',
      );
      if (isAnswer) resolve(search.slice(1));
    });
    const late = setTimeout(() => reject(new Error('No answer came within ten minutes')), ms);
    server.once('close', () => clearTimeout(late));
  });
  // The caller may close the page before it waits.
  answer.catch(() => undefined);
  const listen = async (port: number): Promise<void> => {
    await once(server.listen(port, '127.0.0.1'), 'listening');
  };
  // The usual port first: it is registered, and some authorization servers compare redirects by the letter.
  await listen(CLI_REDIRECT_PORT).catch(() => listen(0));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}${PATH}`,
    answer,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
