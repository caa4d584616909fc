import { once } from 'node:events';
import { get, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { Express } from 'express';
import { HttpAdapter } from './http-adapter.js';

describe('HttpAdapter', () => {
  let adapter: HttpAdapter;
  let app: Express;
  let url: string;
  beforeEach(async () => {
    adapter = new HttpAdapter();
    adapter.initHttpServer();
    app = adapter.getInstance();
    const server: Server = adapter.getHttpServer();
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterEach(() => adapter.close());

  it('ends streams that are open, and connections that wait, when it closes', async () => {
    app.get('/', (_request, response) => {
      response.write('begun');
    });
    const [response] = (await once(get(url), 'response')) as [IncomingMessage];
    await once(response, 'data');
    const broken = once(response, 'error');
    await adapter.close();
    expect(await broken).toMatchObject([{ code: 'ECONNRESET' }]);
    await expect(fetch(url)).rejects.toThrow('fetch failed');
  });
});
