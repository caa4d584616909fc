import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';

/** Answers a request otherwise than a store should; false: as it should. @param count of requests so far, this one included. */
export type StoreFault = (
  request: IncomingMessage,
  response: ServerResponse,
  count: number,
) => boolean;

/** A store with the API of S3 in this process, which checks no signatures and does what a test says. */
export class FaultyStore {
  readonly objects = new Map<string, Buffer>();
  /** `GET`, `GET bytes=5-`, in order. */
  readonly requests: string[] = [];
  fault: StoreFault = () => false;
  knowsRanges = true;
  readonly #server: Server = createServer(
    (request, response) => void this.#answer(request, response),
  );

  /** @returns the URL of its bucket. */
  async start(): Promise<string> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    const { port } = this.#server.address() as AddressInfo;
    return `http://127.0.0.1:${port}/bucket`;
  }

  close(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { objects, requests } = this;
    const { method = '', url = '', headers } = request;
    requests.push([method, headers.range].filter((one) => one !== undefined).join(' '));
    if (this.fault(request, response, requests.length)) return;
    const key = url.split('/').at(-1) ?? '';
    if (method === 'PUT') objects.set(key, await buffer(request));
    const found = objects.get(key);
    if (found === undefined) return void response.writeHead(404).end();
    if (method === 'DELETE') objects.delete(key);
    if (method !== 'GET') {
      response.writeHead(200, method === 'HEAD' ? { 'content-length': found.length } : {}).end();
      return;
    }
    if (!this.knowsRanges || headers.range === undefined) return void response.end(found);
    const start = Number(/bytes=(\d+)-/.exec(headers.range)?.[1]);
    if (start >= found.length) return void response.writeHead(416).end();
    response
      .writeHead(206, { 'content-range': `bytes ${start}-${found.length - 1}/${found.length}` })
      .end(found.subarray(start));
  }
}
