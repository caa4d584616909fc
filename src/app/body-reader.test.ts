import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterEach, describe, expect, it } from '@jest/globals';
import { Recorder } from '../../test/support/recorder.js';
import type { BodyKind } from '../http/request-body.js';
import { pause, systemClock, type Clock } from '../platform/clock.js';
import { BodyReader, bodyRules } from './body-reader.js';

const MIB = 1024 * 1024;
const reader = new BodyReader({
  clock: systemClock,
  idleMs: 30_000,
  rules: bodyRules({ maxBodyBytes: MIB, maxConversationBytes: 16 * MIB }),
});

interface Read {
  body: unknown;
  /** Turns of the event loop that passed meanwhile, in each of which other requests are served. */
  turns: number;
}

describe('BodyReader', () => {
  let server: Server;
  afterEach(() => new Promise<void>((resolve) => server.close(() => resolve())));

  /** Reads one request. Returns the body, or the error. */
  const read = async (
    body: string | Uint8Array | undefined,
    headers: Record<string, string> = {},
    kind: BodyKind = 'conversation',
  ): Promise<Read> => {
    const outcomes = new Recorder<Read>();
    server = createServer((request, response) => {
      let turns = 0;
      let isOver = false;
      const count = (): void => {
        turns += 1;
        if (!isOver) setImmediate(count);
      };
      count();
      const target: typeof request & { body?: unknown } = request;
      const answer = (found: unknown): void => {
        isOver = true;
        outcomes.take({ body: found, turns });
        response.writeHead(200, { connection: 'close' }).end();
      };
      reader.read(target, kind).then(() => answer(target.body), answer);
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const init = { method: 'POST', headers, ...(body === undefined ? {} : { body }) };
    const response = await fetch(`http://127.0.0.1:${port}`, init);
    await response.text();
    const [found] = outcomes.items;
    if (found === undefined) throw new Error('Nothing was read');
    return found;
  };

  it.each<[string, string | undefined, unknown]>([
    ['an object', '{"a": [1, "é"]}', { a: [1, 'é'] }],
    ['a list', '[1]', [1]],
    ['one after a byte order mark', '\uFEFF{"a": 1}', { a: 1 }],
    ['nothing', '', {}],
    ['no body', undefined, {}],
  ])('reads %s', async (_what, text, expected) => {
    expect((await read(text)).body).toEqual(expected);
  });

  it.each<[string, string, string]>([
    ['null', 'null', 'must be a JSON object, not null'],
    ['a number', '1', 'not a number'],
    ['a text', '"{}"', 'not a string'],
    ['half of one', '{"a":', 'valid JSON'],
    ['65 levels', '['.repeat(65), 'at most 64 levels'],
  ])('refuses %s', async (_what, text, message) => {
    expect((await read(text)).body).toMatchObject({
      status: 400,
      type: 'INVALID_REQUEST',
      message: expect.stringContaining(message),
    });
  });

  it.each<[string, Buffer]>([
    ['in Latin-1', Buffer.from('{"a": "é"}', 'latin1')],
    ['that ends in half a character', Buffer.from('{"a": "é').subarray(0, -1)],
  ])('refuses a text %s: what replaced it would be sent to the model', async (_what, bytes) => {
    const wrong = { type: 'INVALID_REQUEST', message: expect.stringContaining('is not UTF-8') };
    expect((await read(bytes)).body).toMatchObject(wrong);
    const inflated = await read(gzipSync(bytes), { 'content-encoding': 'gzip' });
    expect(inflated.body).toMatchObject(wrong);
  });

  it('leaves the body alone of a route that reads it itself', async () => {
    expect((await read('{}', {}, 'unread')).body).toBeUndefined();
  });

  it('lets others have the loop while it reads 15 MiB', async () => {
    const text = JSON.stringify({ a: '\\"['.repeat(5 * MIB) });
    const plain = await read(text.slice(0, 15 * MIB));
    expect(plain.body).toMatchObject({ message: 'Request body must be valid JSON' });
    // Pieces of at most 512 KiB.
    expect(plain.turns).toBeGreaterThanOrEqual(29);
  });

  it('lets others have the loop while it looks at what was inflated', async () => {
    const items = Array.from({ length: 90_000 }, (_, n) => ((n * 7_919_113) % 1e9).toString(36));
    const text = JSON.stringify([items, 'a'.repeat(1_000_000)]);
    const { body, turns } = await read(gzipSync(text), { 'content-encoding': 'gzip' });
    expect(body).toEqual(JSON.parse(text));
    expect(turns).toBeGreaterThanOrEqual(3);
  });
});

describe('a body on the wire', () => {
  let server: Server;
  afterEach(() => new Promise<void>((resolve) => server.close(() => resolve())));

  /** Reads a body of at most 1 KiB, which comes with its head or later. */
  const read = async (body: string, { afterMs }: { afterMs: number | undefined }) => {
    const found = new Recorder<{ body: unknown; waits: number }>();
    let waits = 0;
    const clock: Clock = {
      ...systemClock,
      after: (ms, callback) => {
        waits += 1;
        return systemClock.after(ms, callback);
      },
    };
    const rules = bodyRules({ maxBodyBytes: 1_024, maxConversationBytes: 1_024 });
    const small = new BodyReader({ clock, idleMs: 30_000, rules });
    server = createServer((request, response) => {
      const target: typeof request & { body?: unknown } = request;
      const answer = (outcome: unknown): void => {
        found.take({ body: outcome, waits });
        response.writeHead(200, { connection: 'close' }).end();
      };
      small.read(target, 'plain').then(() => answer(target.body), answer);
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const client = connect(port, '127.0.0.1').setNoDelay();
    const head = 'POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n';
    const chunk = `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`;
    if (afterMs === undefined) {
      client.write(head + chunk);
    } else {
      const begun = once(server, 'request');
      client.write(head);
      await begun;
      await pause(systemClock, afterMs);
      client.write(chunk);
    }
    await found.count(1);
    client.destroy();
    return found.items[0];
  };

  it('is waited for where it comes after its head, and not where it comes with it', async () => {
    const text = '{"a": 1}';
    expect(await read(text, { afterMs: undefined })).toEqual({ body: { a: 1 }, waits: 0 });
    server.close();
    const late = await read(text, { afterMs: 20 });
    expect(late?.body).toEqual({ a: 1 });
    expect(late?.waits).toBeGreaterThan(0);
  });

  it.each([undefined, 20])('is counted where no length is told: %s ms late', async (afterMs) => {
    const found = await read(JSON.stringify({ a: 'a'.repeat(1_024) }), { afterMs });
    expect(found?.body).toMatchObject({ status: 413, type: 'BODY_TOO_LARGE' });
  });
});
