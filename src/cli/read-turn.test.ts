import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from '@jest/globals';
import { readTurn, RefusedError } from './read-turn.js';
import type { ReceivedFrame } from './render-turn.js';

const request = { sessionId: 's', message: 'Hello', attachments: [], opts: {} };
const frame = (seq: number, event = 'chat:delta'): string =>
  `event: ${event}\nid: turn_1:1.${seq}\ndata: {"text":"${seq}"}\n\n`;

describe('readTurn', () => {
  const servers: http.Server[] = [];
  afterEach(async () => {
    for (const server of servers.splice(0)) {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    }
  });

  async function serve(handler: http.RequestListener): Promise<string> {
    const server = http.createServer(handler);
    servers.push(server);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  async function readAll(url: string) {
    const frames: ReceivedFrame[] = [];
    const retries: number[] = [];
    for await (const one of readTurn({ url, headers: {} }, request, (attempt) =>
      retries.push(attempt),
    )) {
      frames.push(one);
    }
    return { ids: frames.map((one) => one.id), retries };
  }

  it('resumes after the last frame, each time the connection breaks, to the end', async () => {
    const cursors: (string | undefined)[] = [];
    const url = await serve((incoming, response) => {
      const cursor = incoming.headers['last-event-id']?.toString();
      if (incoming.method === 'GET') cursors.push(cursor);
      const seq = Number(cursor?.split('.')[1] ?? 0);
      response.writeHead(200, { 'content-type': 'text/event-stream', 'x-turn-id': 'turn_1' });
      response.write(frame(seq + 1));
      if (seq >= 4) response.end(frame(seq + 2, 'process:exit'));
      // One breaks off within a frame, the next one ends in good order, before the turn does.
      else if (seq % 2 === 0) response.write('event: chat:delta\nid:', () => response.destroy());
      else response.end();
    });
    const { ids, retries } = await readAll(url);
    expect(ids).toEqual([1, 2, 3, 4, 5, 6].map((seq) => `turn_1:1.${seq}`));
    expect(cursors).toEqual([1, 2, 3, 4].map((seq) => `turn_1:1.${seq}`));
    expect(retries).toEqual([1, 1, 1, 1]);
  });

  it('gives up with what the server says when it refuses', async () => {
    const url = await serve((_incoming, response) => {
      response.writeHead(409, { 'content-type': 'application/json' });
      response.end('{"error":{"type":"TURN_IN_PROGRESS","message":"Wait."}}');
    });
    const refused = await readAll(url).catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(RefusedError);
    expect(refused).toMatchObject({ type: 'TURN_IN_PROGRESS', message: 'Wait.' });
  });

  it('says something of an answer that is no error of ours', async () => {
    const url = await serve((_incoming, response) => response.writeHead(502).end('<html>'));
    await expect(readAll(url)).rejects.toMatchObject({ type: 'HTTP_502' });
  });
});
