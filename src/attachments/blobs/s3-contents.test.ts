import { randomBytes } from 'node:crypto';
import type { OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { FaultyStore, type StoreFault } from '../../../test/support/files/faulty-store.js';
import { newId } from '../../platform/ids.js';
import { S3Contents } from './s3-contents.js';

const content = randomBytes(600_000);

/** Breaks the connection after some bytes of an answer. */
function breakAfter(response: ServerResponse, bytes: Buffer, headers: OutgoingHttpHeaders): void {
  response.writeHead(200, headers);
  response.write(bytes, () => response.socket?.destroy());
}

describe('S3Contents of a store on a bad day', () => {
  const id = newId('blob');
  let store: FaultyStore;
  let contents: S3Contents;
  let warned: string[];
  beforeEach(async () => {
    store = new FaultyStore();
    store.objects.set(id, content);
    warned = [];
    contents = new S3Contents(
      await store.start(),
      {
        s3Url: undefined,
        s3Region: undefined,
        s3AccessKeyId: 'a',
        s3SecretAccessKey: 'b',
        s3SessionToken: undefined,
      },
      { logger: { warn: ({ error }) => void warned.push(String(error)) } },
    );
  });
  afterEach(() => store.close());

  const load = async (): Promise<Buffer> =>
    buffer(Readable.from(contents.pieces(id, content.length)));
  const isWhole = async (): Promise<boolean[]> => [
    (await contents.read(id, content.length))?.equals(content) === true,
    (await load()).equals(content),
  ];
  const failureOf = (work: Promise<unknown>): Promise<unknown> =>
    work.then(
      () => 'none',
      (error: unknown) => error,
    );

  it.each<[string, StoreFault]>([
    [
      'streams',
      (request, response) => {
        if (request.method === 'HEAD') return Boolean(response.writeHead(200).end());
        response.write(content.subarray(0, 100));
        return Boolean(response.end(content.subarray(100)));
      },
    ],
    [
      'compresses',
      ({ method }, response) => {
        const bytes = gzipSync(content);
        const headers = { 'content-encoding': 'gzip', 'content-length': bytes.length };
        return Boolean(response.writeHead(200, headers).end(method === 'HEAD' ? '' : bytes));
      },
    ],
  ])('has what a store has that %s, and says no length of it', async (_, given) => {
    store.fault = given;
    expect(await contents.has(id, content.length)).toBe(true);
    expect(await isWhole()).toEqual([true, true]);
    expect(warned).toEqual([]);
  });

  it.each(['GET', 'HEAD', 'PUT', 'DELETE'])(
    'sends again what was reset before its answer: %s',
    async (method) => {
      store.fault = ({ socket }, _, count) => count <= 2 && Boolean(socket.destroy());
      if (method === 'GET') expect(await contents.read(id, content.length)).toEqual(content);
      if (method === 'HEAD') expect(await contents.has(id, content.length)).toBe(true);
      if (method === 'PUT') await contents.write(id, Readable.from([Buffer.from('new')]));
      if (method === 'DELETE') await contents.remove(id);
      expect(store.requests).toEqual([method, method, method]);
      if (method === 'PUT') expect(store.objects.get(id)).toEqual(Buffer.from('new'));
      expect(warned).toEqual([]);
    },
  );

  it.each([
    ['with a length', { 'content-length': content.length }],
    ['without one', {}],
  ])('goes on where a connection broke, %s', async (_, headers) => {
    store.fault = (_request, response, count) => {
      if (count > 1) return false;
      breakAfter(response, content.subarray(0, 300_000), headers);
      return true;
    };
    expect((await load()).equals(content)).toBe(true);
    expect(store.requests).toEqual(['GET', expect.stringMatching(/^GET bytes=\d+-$/)]);
  });

  it('gives no byte twice where the store knows no ranges, or ends an answer too early', async () => {
    store.knowsRanges = false;
    store.fault = (_request, response, count) => {
      if (count > 2) return false;
      // In chunks, whose end looks like that of the whole.
      response.flushHeaders();
      return Boolean(response.end(content.subarray(0, count * 200_000)));
    };
    expect((await load()).equals(content)).toBe(true);
    expect(store.requests).toEqual(['GET', 'GET bytes=200000-', 'GET bytes=400000-']);
  });

  it('gives up on a store that breaks every connection, with its cause in the log', async () => {
    store.fault = ({ socket }) => Boolean(socket.destroy());
    const failures = [await failureOf(load()), await failureOf(contents.has(id, 1))];
    for (const one of failures) expect(one).toMatchObject({ type: 'STORAGE_UNAVAILABLE' });
    expect(store.requests).toHaveLength(10);
    expect(warned.map((line) => /^StoreFault: no answer to (\w+) \(.+\)$/.exec(line)?.[1])).toEqual(
      ['GET', 'HEAD'],
    );
  });

  it.each([
    ['PUT', 403, 1],
    ['PUT', 404, 1],
    ['GET', 403, 1],
    ['GET', 503, 5],
    ['GET', 429, 5],
    ['GET', 501, 1],
  ])('says in the log what the store says: %s %i', async (method, status, count) => {
    store.fault = (_, response) => {
      const body =
        '<Error><Code>ExpiredToken</Code><Message>The token has expired.</Message><RequestId>4F</RequestId></Error>';
      return Boolean(response.writeHead(status).end(body));
    };
    const write = () => contents.write(newId('blob'), Readable.from([Buffer.from('a')]));
    const failure = await failureOf(method === 'PUT' ? write() : load());
    expect(failure).toMatchObject({ type: 'STORAGE_UNAVAILABLE' });
    expect(warned).toEqual([
      `StoreFault: the bucket answered ${method} with ${status} ExpiredToken: The token has expired. (request id 4F)`,
    ]);
    expect(store.requests).toHaveLength(count);
  });

  it.each<[string, Buffer | undefined]>([
    ['is gone', undefined],
    ['is shorter', content.subarray(1)],
    ['is longer', Buffer.concat([content, content])],
  ])('has no content where the object %s', async (name, object) => {
    if (object === undefined) store.objects.delete(id);
    else store.objects.set(id, object);
    expect(await contents.read(id, content.length)).toBeUndefined();
    expect(await contents.has(id, content.length)).toBe(false);
    // A reader that has begun gets an error instead of other bytes.
    const loaded = await failureOf(load());
    expect(loaded).toEqual(
      name === 'is gone' ? 'none' : expect.objectContaining({ type: 'STORAGE_UNAVAILABLE' }),
    );
  });
});
