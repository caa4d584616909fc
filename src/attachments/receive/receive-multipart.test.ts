import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { useDatabase } from '../../../test/support/database/database.js';
import { ManualClock } from '../../../test/support/manual-clock.js';
import { ReceivingServer } from '../../../test/support/files/start-receiving.js';
import { blobs, blobWrites } from '../../storage/file-schema.js';
import { BlobStore } from '../blob-store.js';
import { DiskContents } from '../blobs/disk-contents.js';
import { refuseSize } from '../file-limits.js';
import {
  receiveMultipart,
  type ReceivedForm,
  parseContentDisposition,
} from './receive-multipart.js';
import { newFolder } from '../../../test/support/suite.js';

const KiB = 1024;
const limits = {
  maxFiles: 3,
  maxFileBytes: 600 * KiB,
  maxRequestBytes: 1_000 * KiB,
  maxFieldBytes: 20,
  idleMs: 30_000,
};
const formType = 'Content-Type: multipart/form-data; boundary=x';

interface Refusal {
  type: string;
  message: string;
  details: unknown;
}

describe('receiveMultipart', () => {
  const database = useDatabase();
  const folder = newFolder();

  let clock: ManualClock;
  let store: BlobStore;
  let server: ReceivingServer<ReceivedForm>;
  beforeEach(async () => {
    clock = new ManualClock();
    await database.db.delete(blobs);
    store = new BlobStore(database.db, new DiskContents(folder), clock);
    const fields = ['message', 'session_id'];
    server = await ReceivingServer.start((request) =>
      receiveMultipart(request, { store, clock, limits, fields, fileField: 'files' }),
    );
  });
  afterEach(() => server.close());

  /** Contents that are stored, and that are being stored. */
  const kept = async (): Promise<[number, number]> => [
    (await database.db.select().from(blobs)).length,
    (await database.db.select().from(blobWrites)).length,
  ];

  async function post(
    body: FormData | string | ReadableStream,
    contentType?: string,
  ): Promise<{ status: number; refusal: Refusal }> {
    const headers = contentType === undefined ? {} : { 'content-type': contentType };
    const response = await fetch(server.url, { method: 'POST', body, headers, duplex: 'half' });
    return { status: response.status, refusal: (await response.json()) as Refusal };
  }

  /** A form with the boundary `x`, from the heads and contents of its parts. */
  const formOf = (...parts: [head: string, content: string][]): string =>
    `${parts.map(([head, content]) => `--x\r\n${head}\r\n\r\n${content}\r\n`).join('')}--x--\r\n`;
  const dispositionOf = (name: string, more = ''): string =>
    `Content-Disposition: form-data; name="${name}"${more}`;
  const postForm = (...parts: [string, string][]) =>
    post(formOf(...parts), 'multipart/form-data; boundary=x');

  it('gives fields and files, in the order they were sent', async () => {
    const large = Buffer.alloc(500 * KiB, 'abc');
    const form = new FormData();
    form.append('files', new Blob([large], { type: 'application/pdf' }), 'b.pdf');
    form.append('message', 'Grüße');
    form.append('files', new Blob(['small']), '../Отчёт.txt');
    form.append('files', new Blob([], { type: 'text/csv' }), '');
    expect((await post(form)).status).toBe(200);
    const { fields, files } = server.received;
    expect(fields).toEqual({ message: 'Grüße' });
    expect(files.map(({ name, size }) => [name, size])).toEqual([
      ['b.pdf', 500 * KiB],
      ['Отчёт.txt', 5],
      ['file', 0],
    ]);
    expect((await store.get(files[0]?.sha256 ?? ''))?.equals(large)).toBe(true);
    expect(Buffer.from(files[1]?.start ?? []).toString()).toBe('small');
    expect(await kept()).toEqual([3, 0]);
  });

  it.each([
    ['filename="C:\\x\\y.pdf"', 'y.pdf'],
    [`filename="a"; filename*=utf-8''..%2Fb%0A%E2%80%AEc.pdf`, 'bc.pdf'],
    ['filename=""', 'file'],
  ])('cleans the name of %s', async (fileName, expected) => {
    const head = `${dispositionOf('files', `; ${fileName}`)}\r\nContent-Type: application/pdf`;
    expect((await postForm([head, 'x'])).status).toBe(200);
    expect(server.received.files[0]?.name).toBe(expected);
  });

  it('takes exactly what the limits allow', async () => {
    const file = (): [string, string] => [
      dispositionOf('files', '; filename="a"'),
      'a'.repeat(200 * KiB),
    ];
    const field = dispositionOf('message');
    expect((await postForm(file(), file(), file(), [field, 'm'.repeat(20)])).status).toBe(200);
    const full: [string, string] = [
      dispositionOf('files', '; filename="a"'),
      'a'.repeat(600 * KiB),
    ];
    expect((await postForm(full)).status).toBe(200);
  });

  it('takes a form of nothing, and what follows a form', async () => {
    expect((await post('--x--\r\n', 'multipart/form-data; boundary=x')).status).toBe(200);
    expect(server.received).toEqual({ fields: {}, files: [], skipped: [] });
    const form = formOf([dispositionOf('message'), 'a']);
    const more = `preamble\r\n${form}epilogue ${'e'.repeat(200 * KiB)}`;
    expect((await post(more, 'multipart/form-data; boundary="x"')).status).toBe(200);
    expect(server.received.fields).toEqual({ message: 'a' });
  });

  const file = dispositionOf('files', '; filename="a.txt"');
  it.each<[string, [string, string][], string]>([
    ['a field nobody knows', [[dispositionOf('messages'), 'a']], 'unknown part "messages"'],
    ['a file of another field', [[dispositionOf('x', '; filename="a"'), 'a']], 'unknown part "x"'],
    [
      'a field that is sent again',
      [
        [dispositionOf('message'), 'a'],
        [dispositionOf('message'), 'b'],
      ],
      'message must be sent once',
    ],
    [
      'too many files',
      [
        [file, 'a'],
        [file, 'b'],
        [file, 'c'],
        [file, 'd'],
      ],
      'A request takes 3 files at most',
    ],
    [
      'far too many files',
      Array.from({ length: 50 }, () => [file, 'a']),
      'A request takes 3 files at most',
    ],
    ['a part that is no field', [['Content-Type: text/plain', 'a']], 'no Content-Disposition'],
    [
      'a name with a line feed',
      [[dispositionOf('files', '; filename="a\nb"'), 'a']],
      'no Content-D',
    ],
    ['a part without a name', [['Content-Disposition: form-data', 'a']], 'no Content-Disposition'],
  ])('refuses %s', async (_name, parts, message) => {
    const { status, refusal } = await postForm(...parts);
    expect([status, refusal.type]).toEqual([400, 'INVALID_REQUEST']);
    expect(refusal.message).toContain(message);
    expect((await kept())[1]).toBe(0);
  });

  it.each([
    ['text/plain', 'a'],
    ['multipart/form-data', '--x--'],
    ['multipart/form-data; boundary=', '--x--'],
    ['multipart/mixed; boundary=x', '--x--'],
    ['no type', 'a'],
    ['multipart/form-data; boundary=x', 'no form at all'],
    ['multipart/form-data; boundary=x', `--x\r\n${file}\r\n\r\nit ends in the middle`],
    ['multipart/form-data; boundary=x', `--x\r\n${file}\r\n--x--`],
    ['multipart/form-data; boundary=x', `--x\r\n${file}`],
    ['multipart/form-data; boundary=x', '--x'],
    ['multipart/form-data; boundary=x', ''],
  ])('refuses a body of type %s: %j', async (contentType, body) => {
    const { status, refusal } = await post(body, contentType);
    expect([status, refusal.type]).toEqual([400, 'INVALID_REQUEST']);
    expect(refusal.message).toContain('multipart/form-data');
    expect(await kept()).toEqual([0, 0]);
  });

  it('refuses a compressed body', async () => {
    const client = await server.connect([formType, 'Content-Encoding: gzip', 'Content-Length: 1']);
    expect(await client.answer()).toMatch(/^HTTP\/1\.1 415 .*without Content-Encoding/s);
  });

  it('refuses a file and a field over the limit, and says which', async () => {
    const large = await postForm([dispositionOf('files', '; filename="a"'), 'a'.repeat(614_401)]);
    expect(large).toEqual({
      status: 413,
      refusal: {
        type: 'FILE_TOO_LARGE',
        message: 'a is over the limit of 614400 bytes a file. Send a smaller file.',
        details: { file: 'a', maxFileBytes: 614_400 },
      },
    });
    const long = await postForm([dispositionOf('message'), 'm'.repeat(21)]);
    expect(long).toMatchObject({
      status: 413,
      refusal: { type: 'BODY_TOO_LARGE', details: { field: 'message', maxFieldBytes: 20 } },
    });
    expect(await kept()).toEqual([0, 0]);
  });

  it('leaves out a file over the limit alone where it is told to', async () => {
    const skipping = await ReceivingServer.start((request) =>
      receiveMultipart(request, { store, clock, limits, fields: ['message'], tooLarge: 'skip' }),
    );
    const fileOf = (name: string, size: number): [string, string] => [
      dispositionOf('files', `; filename="${name}"`),
      'a'.repeat(size),
    ];
    const body = formOf(
      fileOf('a.txt', 1),
      fileOf('../large.txt', 900 * KiB),
      [dispositionOf('message'), 'm'],
      fileOf('b.txt', 2),
    );
    const headers = { 'content-type': 'multipart/form-data; boundary=x' };
    await fetch(skipping.url, { method: 'POST', body, headers });
    await skipping.close();
    const { fields, files, skipped } = skipping.received;
    expect(fields).toEqual({ message: 'm' });
    expect(files.map(({ name, size }) => [name, size])).toEqual([
      ['a.txt', 1],
      ['b.txt', 2],
    ]);
    const turn = { files: 3, fileBytes: 600 * KiB, turnBytes: 1_000 * KiB };
    const reason = refuseSize(900 * KiB, { files: 0, bytes: 0 }, turn);
    expect(skipped).toEqual([{ name: 'large.txt', reason }]);
    expect(await kept()).toEqual([2, 0]);
  });

  it('keeps few of very many parts without a head', async () => {
    const parts = Buffer.from('--x\r\n'.repeat(200 * KiB));
    const before = process.memoryUsage().heapUsed;
    const client = await server.connect([formType, `Content-Length: ${parts.length}`]);
    await client.send(parts);
    expect(await client.answer()).toMatch(/^HTTP\/1\.1 400 .*A request takes 3 files at most/s);
    const grown = process.memoryUsage().heapUsed - before;
    expect(grown).toBeLessThan(64 * 1024 * KiB);
  });

  it('answers before it has read a body that says it is too large, and takes the next', async () => {
    const size = 8_000 * KiB;
    const client = await server.connect([formType, `Content-Length: ${size}`]);
    expect(await client.answer()).toMatch(/^HTTP\/1\.1 413 .*"BODY_TOO_LARGE"/s);
    await client.sendAll(Buffer.alloc(64 * KiB), size / (64 * KiB));
    expect(client.socket.destroyed).toBe(false);
    await client.send('POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n');
    await server.outcomes.count(2);
    while (clock.pending > 0) await yieldToEventLoop();
  });

  it('counts a body that does not say, and lets who sends on read the answer', async () => {
    const client = await server.connect([formType, 'Transfer-Encoding: chunked']);
    const piece = `${(64 * KiB).toString(16)}\r\n${'a'.repeat(64 * KiB)}\r\n`;
    await client.sendAll(Buffer.from(piece), 200);
    expect(await client.answer()).toMatch(/^HTTP\/1\.1 413 .*"maxRequestBytes":1024000/s);
  });

  it('cuts off who never ends sending what was refused', async () => {
    const client = await server.connect([formType, 'Content-Length: 100000000']);
    await client.answer();
    await clock.advance(9_999);
    await client.send('more');
    expect(client.socket.destroyed).toBe(false);
    await clock.advance(1);
    await client.closed;
  });

  it('gives up when nothing comes', async () => {
    const client = await server.connect([formType, 'Content-Length: 1000']);
    await client.send(`--x\r\n${file}\r\n\r\nhalf`);
    while (clock.pending === 0) await yieldToEventLoop();
    await clock.advance(30_000);
    const answer = await client.answer();
    expect(answer).toMatch(/^HTTP\/1\.1 408 .*"REQUEST_TIMEOUT"/s);
    expect(answer).toContain('Connection: close');
    await client.closed;
    expect(await kept()).toEqual([0, 0]);
  });

  it('keeps nothing of a client that went away', async () => {
    const client = await server.connect([formType, 'Content-Length: 500000']);
    await client.send(`--x\r\n${file}\r\n\r\n${'a'.repeat(300 * KiB)}`);
    while ((await kept())[1] === 0) await yieldToEventLoop();
    client.socket.destroy();
    await server.outcomes.count(1);
    expect(server.outcomes.items).toEqual([
      { error: expect.objectContaining({ name: 'AbortError' }) },
    ]);
    expect(await kept()).toEqual([0, 0]);
    expect(clock.pending).toBe(0);
  });

  it('tells a fault of the store while the client sends', async () => {
    const noFolder = path.join(folder, 'file');
    await writeFile(noFolder, '');
    store = new BlobStore(database.db, new DiskContents(noFolder), clock);
    const { status } = await postForm([file, 'a'.repeat(900 * KiB)]);
    expect(status).toBe(500);
    expect(server.outcomes.items).toEqual([
      { error: expect.objectContaining({ code: 'ENOTDIR' }) },
    ]);
  });
});

/** A header as the parser gives it: one character for each byte. */
const bytesOf = (text: string): string => Buffer.from(text).toString('latin1');

describe('parseContentDisposition', () => {
  it.each([
    ['form-data; name="a"', { name: 'a', fileName: undefined }],
    ['Form-Data ;NAME=a ; FileName=b.txt', { name: 'a', fileName: 'b.txt' }],
    ['form-data; name=""; filename=""', { name: '', fileName: '' }],
    ['form-data; name="a"; filename="Отчёт.pdf"', { name: 'a', fileName: 'Отчёт.pdf' }],
    [
      String.raw`form-data; name="a"; filename="C:\x\y.pdf"`,
      { name: 'a', fileName: 'C:\\x\\y.pdf' },
    ],
    [String.raw`form-data; name="a"; filename="a\"b\\c"`, { name: 'a', fileName: 'a"b\\c' }],
    ['form-data; name="a"; filename="a%22b%0D%0A%41"', { name: 'a', fileName: 'a"b\r\n%41' }],
    ['form-data; name="a"; filename="x;y=z"', { name: 'a', fileName: 'x;y=z' }],
    [
      `form-data; name="a"; filename="x"; filename*=UTF-8''%E2%82%AC%0A.txt`,
      { name: 'a', fileName: '€\n.txt' },
    ],
    ['form-data', undefined],
    ['form-data; filename="a"', undefined],
    ['attachment; name="a"', undefined],
    ['form-data; name="a', undefined],
    ['form-data; name="a" b', undefined],
    ["form-data; name=a; filename*=utf-8''%ff", undefined],
    ['form-data; name=a; filename*=x', undefined],
    ['', undefined],
  ])('%s', (header, expected) => {
    expect(parseContentDisposition(bytesOf(header))).toEqual(expected);
  });

  it('is quick with a header that never ends', () => {
    expect(parseContentDisposition(`form-data; name="${'\\"'.repeat(40_000)}`)).toBeUndefined();
    expect(parseContentDisposition(`form-data${' '.repeat(80_000)}`)).toBeUndefined();
  });
});
