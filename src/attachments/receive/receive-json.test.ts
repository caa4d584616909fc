import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import Parser from 'stream-json/Parser.js';
import { useDatabase } from '../../../test/support/database/database.js';
import { ManualClock } from '../../../test/support/manual-clock.js';
import { ReceivingServer } from '../../../test/support/files/start-receiving.js';
import { blobs, blobWrites } from '../../storage/file-schema.js';
import { BlobStore } from '../blob-store.js';
import { DiskContents } from '../blobs/disk-contents.js';
import {
  receiveJson,
  type ReceivedJson,
  buildDocument,
  type DocumentRules,
} from './receive-json.js';
import { newFolder } from '../../../test/support/suite.js';

const KiB = 1024;
const MiB = 1024 * KiB;
const limits = {
  maxFiles: 3,
  maxFileBytes: 600 * KiB,
  maxRequestBytes: 2 * MiB,
  maxFieldBytes: 2 * KiB,
  idleMs: 30_000,
};
const base64 = (content: string | Uint8Array): string => Buffer.from(content).toString('base64');

interface Refusal {
  type: string;
  message: string;
  details: unknown;
}

describe('receiveJson', () => {
  const database = useDatabase();
  const folder = newFolder();

  let clock: ManualClock;
  let store: BlobStore;
  beforeEach(async () => {
    clock = new ManualClock();
    await database.db.delete(blobs);
    store = new BlobStore(database.db, new DiskContents(folder), clock);
  });
  let server: ReceivingServer<ReceivedJson>;
  afterEach(() => server.close());

  const start = async (more: object = {}): Promise<void> => {
    server = await ReceivingServer.start((request) =>
      receiveJson(request, { store, clock, limits: { ...limits, ...more } }),
    );
  };
  const kept = async (): Promise<[number, number]> => [
    (await database.db.select().from(blobs)).length,
    (await database.db.select().from(blobWrites)).length,
  ];
  async function post(body: unknown): Promise<{ status: number; refusal: Refusal }> {
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    const response = await fetch(server.url, { method: 'POST', body: text });
    return { status: response.status, refusal: (await response.json()) as Refusal };
  }

  describe.each([
    ['in one piece', {}],
    ['while it comes', { plainBytes: 0 }],
  ])('a body that is parsed %s', (_name, more) => {
    beforeEach(() => start(more));

    it('reads what follows a byte order mark', async () => {
      expect((await post('\uFEFF{"message":"a"}')).status).toBe(200);
      expect(server.received.fields).toEqual({ message: 'a' });
    });

    it('gives fields and files', async () => {
      const large = Buffer.alloc(500 * KiB, 'abc');
      const files = [
        { content: base64(large), mime_type: 'application/pdf', filename: '../b.pdf' },
        { mime_type: 'text/csv', content: base64('small') },
        { filename: null, content: '', mime_type: 'x' },
      ];
      const fields = { message: 'Grüße', session_id: null, more: { content: ['QUJD'] } };
      expect((await post({ ...fields, files })).status).toBe(200);
      expect(server.received.fields).toEqual(fields);
      expect(server.received.files.map(({ name, size }) => [name, size])).toEqual([
        ['b.pdf', 500 * KiB],
        ['file', 5],
        ['file', 0],
      ]);
      const [first, second] = server.received.files;
      expect((await store.get(first?.sha256 ?? ''))?.equals(large)).toBe(true);
      expect(Buffer.from(second?.start ?? []).toString()).toBe('small');
    });

    it.each([{ message: 'a' }, { message: 'a', files: [] }, { message: 'a', files: null }])(
      'takes %j for no files',
      async (body) => {
        expect((await post(body)).status).toBe(200);
        expect(server.received).toEqual({ fields: { message: 'a' }, files: [] });
      },
    );

    const file = { content: 'QUJD', mime_type: 'text/plain' };
    const sha256 = createHash('sha256').update('ABC').digest('hex');
    it.each<[string, unknown, string]>([
      ['no JSON', '{"message":', 'Request body must be valid JSON'],
      ['nothing', '', 'Request body must be valid JSON'],
      ['an array', [], 'Request body must be a JSON object'],
      ['a string', '"a"', 'Request body must be a JSON object'],
      ['files that are no array', { files: { content: 'QUJD' } }, 'files must be an array'],
      ['a file that is no object', { files: [file, 'a'] }, 'files[1] must be an object'],
      ['a file without content', { files: [{ mime_type: 'a' }] }, 'files[0].content must be a str'],
      ['a file without a type', { files: [{ content: '' }] }, 'files[0].mime_type must be a str'],
      ['a name that is none', { files: [{ ...file, filename: 1 }] }, 'files[0].filename must be'],
      [
        'no base64',
        { files: [file, { ...file, content: 'QUJ' }] },
        'files[1].content must be base',
      ],
      ['white space', { files: [{ ...file, content: 'QU JD' }] }, 'files[0].content must be base'],
      ['too many files', { files: [file, file, file, file] }, 'A request takes 3 files at most'],
      [
        'what is nested too deeply',
        `{"a":${'['.repeat(70)}${']'.repeat(70)}}`,
        'nested too deeply',
      ],
      [
        'a content that its sender never sent',
        { files: [{ ...file, content: { blob: { sha256, size: 3, start: [] } } }] },
        'files[0].content must be a string',
      ],
    ])('refuses %s', async (_name, body, message) => {
      await store.put(Readable.from([Buffer.from('ABC')]));
      const { status, refusal } = await post(body);
      expect([status, refusal.type]).toEqual([400, 'INVALID_REQUEST']);
      expect(refusal.message).toContain(message);
      expect((await kept())[1]).toBe(0);
    });

    it('refuses a file over the limit, and takes one of the limit', async () => {
      const content = base64(Buffer.alloc(600 * KiB));
      expect((await post({ files: [{ ...file, content }] })).status).toBe(200);
      const more = base64(Buffer.alloc(600 * KiB + 1));
      expect(await post({ files: [file, { ...file, content: more }] })).toMatchObject({
        status: 413,
        refusal: {
          type: 'FILE_TOO_LARGE',
          details: { file: 'files[1].content', maxFileBytes: 600 * KiB },
        },
      });
      expect((await kept())[1]).toBe(0);
    });
  });

  it('bounds what it keeps of a large body but its files', async () => {
    await start({ plainBytes: 0 });
    const { status, refusal } = await post({ message: 'm'.repeat(3 * KiB) });
    expect([status, refusal.type]).toEqual([413, 'BODY_TOO_LARGE']);
    expect(refusal.message).toContain('without its files is over the limit of 2048 bytes');
  });

  it('reads a body without a length, and refuses it when it is too large', async () => {
    await start();
    const client = await server.connect(['Transfer-Encoding: chunked']);
    const head = '{"files":[{"content":"';
    await client.send(`${head.length.toString(16)}\r\n${head}\r\n`);
    const piece = `${(64 * KiB).toString(16)}\r\n${'QUJD'.repeat(16 * KiB)}\r\n`;
    await client.sendAll(Buffer.from(piece), 60);
    expect(await client.answer()).toMatch(/^HTTP\/1\.1 413 .*FILE_TOO_LARGE/s);
    expect(await kept()).toEqual([0, 0]);
  });

  it.each([0, 2 * MiB])(
    'gives up when nothing comes (up to %i in one piece)',
    async (plainBytes) => {
      await start({ plainBytes });
      const client = await server.connect(['Content-Length: 1000000']);
      await client.send(`{"files":[{"content":"${'QUJD'.repeat(50 * KiB)}`);
      while (clock.pending === 0) await yieldToEventLoop();
      await clock.advance(30_000);
      expect(await client.answer()).toMatch(/^HTTP\/1\.1 408 /);
      expect(await kept()).toEqual([0, 0]);
    },
  );

  it('keeps nothing of a client that went away', async () => {
    await start({ plainBytes: 0 });
    const client = await server.connect(['Content-Length: 1000000']);
    await client.send(`{"files":[{"content":"${'QUJD'.repeat(50 * KiB)}`);
    while ((await kept())[1] === 0) await yieldToEventLoop();
    client.socket.destroy();
    await server.outcomes.count(1);
    expect(server.outcomes.items).toEqual([
      { error: expect.objectContaining({ name: 'AbortError' }) },
    ]);
    expect(await kept()).toEqual([0, 0]);
  });

  it('lets others run while it receives 40 MiB', async () => {
    await start({ maxFileBytes: 40 * MiB, maxRequestBytes: 60 * MiB });
    const head = '{"message":"a","files":[{"mime_type":"text/plain","content":"';
    const piece = Buffer.from('QUJD'.repeat(16 * KiB));
    const times = (40 * MiB) / piece.length;
    const size = head.length + piece.length * times + 4;
    const client = await server.connect([`Content-Length: ${size}`]);
    await client.send(head);
    // The database's own work in this process, at the beginning and the end, is not measured.
    await client.sendAll(piece, 16);
    const stop = measureTurns();
    await client.sendAll(piece, times - 16);
    const turnsMs = stop();
    await client.send('"}]}');
    await server.outcomes.count(1);
    expect(server.received.files[0]?.size).toBe((40 * MiB * 3) / 4);
    const longest = turnsMs.sort((a, b) => b - a);
    const whole = turnsMs.reduce((sum, ms) => sum + ms, 0);
    // Parts of the whole, whatever the machine: in one turn it would be all of it. A turn of a hundred may have garbage to
    // collect, and one may be that in which the machine did something else.
    expect((longest[Math.floor(longest.length / 100)] ?? whole) / whole).toBeLessThan(0.05);
    expect((longest[1] ?? whole) / whole).toBeLessThan(0.25);
    expect((longest[0] ?? whole) / whole).toBeLessThan(0.6);
  });
});

/**
 * CPU milliseconds of each turn of the event loop from now on: wall time would include other processes
 * of a busy machine.
 */
function measureTurns(): () => number[] {
  const turnsMs: number[] = [];
  let last = process.cpuUsage();
  let isOver = false;
  const measure = (): void => {
    const { user, system } = process.cpuUsage(last);
    last = process.cpuUsage();
    turnsMs.push((user + system) / 1_000);
    if (!isOver) setImmediate(measure);
  };
  setImmediate(measure);
  return () => {
    isOver = true;
    return turnsMs;
  };
}

const tooDeep = { type: 'INVALID_REQUEST', message: expect.stringContaining('too deeply') };
const rules: DocumentRules = { takeText: () => undefined, maxChars: 10_000 };

/** Builds a document from a text that comes in chunks of so many bytes. */
async function read(text: string, more: Partial<DocumentRules> = {}, size = 7): Promise<unknown> {
  const bytes = Buffer.from(text);
  const chunks: Buffer[] = [];
  for (let at = 0; at < bytes.length; at += size) chunks.push(bytes.subarray(at, at + size));
  const tokens = Readable.from(chunks, { objectMode: false }).pipe(
    new Parser({ packValues: false }),
  );
  return buildDocument(tokens, { ...rules, ...more });
}

describe('buildDocument', () => {
  it('reads what JSON.parse reads, however it is cut', async () => {
    const sizes = fc.integer({ min: 1, max: 9 });
    await fc.assert(
      fc.asyncProperty(fc.json(), sizes, async (text, size) => {
        expect(await read(text, {}, size)).toEqual(JSON.parse(text));
      }),
    );
  });

  it.each([
    ['[1, -2.5e3, 0.0, 12]', [1, -2_500, 0, 12]],
    ['{"a": [true, false, null, ""], "": {}}', { a: [true, false, null, ''], '': {} }],
    ['{"a": 1, "a": 2}', { a: 2 }],
    ['"\\u00e9\\n\\ud83d\\ude00 é😀"', 'é\n😀 é😀'],
    ['  7  ', 7],
  ])('reads %s', async (text, expected) => {
    expect(await read(text, {}, 1)).toEqual(expected);
  });

  it('makes a key of __proto__', async () => {
    const document = await read('{"__proto__": {"a": 1}}');
    expect(Object.keys(document as object)).toEqual(['__proto__']);
    expect((document as { a?: unknown }).a).toBeUndefined();
  });

  it.each(['', ' ', '{', '[1', '{"a"}', '{"a":1,}', '[1,]', '"a', 'tru', '1 2', '{} x', "{'a':1}"])(
    'throws for %j',
    async (text) => {
      await expect(read(text)).rejects.toThrow(/^Parser /);
    },
  );

  it('gives a text to who takes it, and what that becomes is in its place', async () => {
    const paths: unknown[] = [];
    const takeText: DocumentRules['takeText'] = (path) => {
      paths.push(path);
      if (path.at(-1) !== 'content') return undefined;
      return async (texts) => {
        let length = 0;
        for await (const text of texts) length += text.length;
        return { length };
      };
    };
    const text = `{"files": [{"content": "${'x'.repeat(20_000)}", "name": "a"}], "content": ""}`;
    expect(await read(text, { takeText })).toEqual({
      files: [{ content: { length: 20_000 }, name: 'a' }],
      content: { length: 0 },
    });
    expect(paths).toEqual([['files', 0, 'content'], ['files', 0, 'name'], ['content']]);
  });

  it.each([
    ['a string', `"${'x'.repeat(20_000)}"`],
    ['a key', `{"${'x'.repeat(20_000)}": 1}`],
    ['a number', '1'.repeat(20_000)],
    ['an array', `[${'0,'.repeat(9_999)}0]`],
  ])('refuses %s that is too large', async (_name, text) => {
    await expect(read(text, {}, 1_000)).rejects.toMatchObject({ type: 'BODY_TOO_LARGE' });
  });

  it('refuses what is nested too deeply', async () => {
    const nested = (depth: number): string => '['.repeat(depth) + ']'.repeat(depth);
    await expect(read(nested(64))).resolves.toHaveLength(1);
    await expect(read(nested(65))).rejects.toMatchObject(tooDeep);
    await expect(read(`${'{"a":'.repeat(65)}1${'}'.repeat(65)}`)).rejects.toMatchObject(tooDeep);
  });
});
