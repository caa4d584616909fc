import { existsSync } from 'node:fs';
import http from 'node:http';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { lockDataFolder } from '../../storage/folder/data-folder.js';
import { locateServer } from './find-server.js';
import { UsageError } from '../command.js';
import { newFolder } from '../../../test/support/suite.js';
import { type HttpServer, serveHttp } from '../../../test/support/serve-http.js';

const health = { status: 'unhealthy', agent_name: 'a', agent_ready: false, uptime_seconds: 1 };

describe('locateServer', () => {
  let folder: string;
  const servers: HttpServer[] = [];
  beforeEach(async () => {
    folder = newFolder();
  });
  afterEach(async () => {
    for (const server of servers.splice(0)) await server.close();
  });

  const dataDir = (): string => path.join(folder, 'data');

  /** @returns the port of a server that answers every request alike. */
  async function listen(answer: http.RequestListener): Promise<number> {
    const server = await serveHttp(answer);
    servers.push(server);
    return server.port;
  }

  const json =
    (body: unknown, status = 200): http.RequestListener =>
    (_request, response) =>
      void response.writeHead(status).end(JSON.stringify(body));

  const locate = (port: number, more: Record<string, string> = {}, named?: string) =>
    locateServer({ TURNPIKE_DATA_DIR: dataDir(), TURNPIKE_PORT: String(port), ...more }, named);

  it('takes the named one, then that of the environment, then that of the data folder, then the port', async () => {
    const port = await listen(json(health, 503));
    const holder = await lockDataFolder(dataDir());
    await holder.publish('http://127.0.0.1:7');
    const TURNPIKE_URL = 'https://other/';
    const found = [
      await locate(port, { TURNPIKE_URL }, 'localhost:1'),
      await locate(port, { TURNPIKE_URL }),
      await locate(port),
    ];
    await holder.release();
    found.push(await locate(port, { TURNPIKE_URL: '' }));
    expect(found.map(({ url, isByPort }) => [url, isByPort])).toEqual([
      ['http://localhost:1', false],
      ['https://other', false],
      ['http://127.0.0.1:7', false],
      [`http://127.0.0.1:${port}`, true],
    ]);
  });

  it.each<[string, http.RequestListener]>([
    ['another program', (_request, response) => void response.end('<html>')],
    ['another health', json({ status: 'ok' })],
    ['another path', (_request, response) => void response.writeHead(302, { location: '/' }).end()],
    ['no answer', (request) => void request.socket.destroy()],
  ])('takes %s on the port for none', async (_what, answer) => {
    const { url, searched } = await locate(await listen(answer));
    expect(url).toBeUndefined();
    expect(searched).toContain(dataDir());
  });

  it('makes no folder, and asks no port that is a free one', async () => {
    const { url, searched } = await locate(0);
    expect([url, searched]).toEqual([undefined, `none serves ${dataDir()}`]);
    expect(existsSync(dataDir())).toBe(false);
  });

  it.each(['ftp://host', 'http://', 'not a url'])('refuses %s for an address', async (address) => {
    await expect(locate(0, {}, address)).rejects.toThrow(UsageError);
  });
});
