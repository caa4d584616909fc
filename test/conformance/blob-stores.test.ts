import { randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { DiskContents } from '../../src/attachments/blobs/disk-contents.js';
import { PostgresContents } from '../../src/attachments/blobs/postgres-contents.js';
import { S3Contents } from '../../src/attachments/blobs/s3-contents.js';
import { newId } from '../../src/platform/ids.js';
import { bothDatabases, openServerDatabase } from '../support/database/both-databases.js';
import { openTestDatabase } from '../support/database/database.js';
import { startS3, type TestS3 } from '../support/files/start-s3.js';
import { ManualClock } from '../support/manual-clock.js';
import { newFolder } from '../support/suite.js';
import { expectSoon } from '../support/expect-soon.js';
import { serveHttp } from '../support/serve-http.js';
import { blobStoreConformance } from './blob-store.js';

blobStoreConformance('A disk', async () => {
  const { db, close } = await openTestDatabase();
  return { db, contents: new DiskContents(newFolder()), isStoredInProcess: false, close };
});

blobStoreConformance('S3', async () => {
  const [{ db, close }, s3] = await Promise.all([openServerDatabase(), startS3(newFolder())]);
  return {
    db,
    contents: new S3Contents(s3.settings.s3Url, s3.settings),
    isStoredInProcess: false,
    close: async () => void (await Promise.all([close(), s3.close()])),
  };
});

// What is the same for all media, races among it, is shown on both databases here.
for (const [name, open] of bothDatabases) {
  blobStoreConformance(name, async () => {
    const { db, copyOut, close } = await open();
    const contents = new PostgresContents(db, copyOut);
    return { db, contents, isStoredInProcess: copyOut === undefined, close };
  });
}

describe('a bucket', () => {
  let s3: TestS3;
  beforeAll(async () => {
    s3 = await startS3(newFolder());
  });
  afterAll(() => s3.close());

  async function* bytes(): AsyncGenerator<Uint8Array> {
    yield Buffer.from('a');
  }

  it.each([
    ['a wrong key', (url: string) => url, 'wrong', /403 SignatureDoesNotMatch/],
    ['no such bucket', (url: string) => url.replace('/turnpike/', '/other/'), 'S3RVER', /404/],
    ['no server', () => 'http://127.0.0.1:9/turnpike', 'S3RVER', /fetch failed/],
  ])(
    'that refuses or is gone is an error to try again, and the log has why: %s',
    async (_name, urlOf, secret, cause) => {
      const contents = new S3Contents(urlOf(s3.settings.s3Url), {
        ...s3.settings,
        s3SecretAccessKey: secret,
      });
      const failed: unknown = await contents
        .write(newId('blob'), bytes())
        .catch((error: unknown) => error);
      expect(failed).toMatchObject({ type: 'STORAGE_UNAVAILABLE' });
      await expect(contents.check()).rejects.toThrow(
        /^TURNPIKE_S3_URL names 127\.0\.0\.1:.*correct the variable/,
      );
      expect(String((failed as Error).cause)).toMatch(cause);
    },
  );

  it.each(['my files', 'a+b', 'a%2Bb', 'grün', "a=b&it's(1)!*"])(
    'may have a prefix: %s',
    async (prefix) => {
      const url = `${s3.settings.s3Url.replace(/\/$/, '')}/${prefix}/`;
      const contents = new S3Contents(url, s3.settings);
      await contents.check();
      const id = newId('blob');
      await contents.write(id, bytes());
      expect(await contents.read(id, 1)).toEqual(Buffer.from('a'));
    },
  );

  it('does not lead elsewhere: a redirect is followed by nothing', async () => {
    let asked = 0;
    const inside = await serveHttp((_request, response) => {
      asked += 1;
      response.end('secret');
    });
    const bucket = await serveHttp((_request, response) => {
      response.writeHead(307, { location: `${inside.url}/latest/meta-data` }).end();
    });
    const contents = new S3Contents(`${bucket.url}/turnpike`, s3.settings);
    const cause = expect.objectContaining({ message: 'the bucket answered GET with 307' });
    await expect(contents.read(newId('blob'), 6)).rejects.toMatchObject({
      type: 'STORAGE_UNAVAILABLE',
      cause,
    });
    expect(asked).toBe(0);
    await Promise.all([bucket.close(), inside.close()]);
  });

  it('waits for a reader that is slower than the store may be', async () => {
    const clock = new ManualClock();
    const silenceMs = 5_000;
    const contents = new S3Contents(s3.settings.s3Url, s3.settings, { silenceMs, clock });
    const id = newId('blob');
    const stored = randomBytes(2 * 1024 * 1024);
    await contents.write(id, Readable.from([stored]));
    const read: Uint8Array[] = [];
    for await (const piece of contents.pieces(id, stored.length)) {
      read.push(piece);
      await clock.advance(silenceMs + 1_000);
    }
    expect(read.length).toBeGreaterThan(1);
    expect(Buffer.concat(read).equals(stored)).toBe(true);
  });

  it('waits for a store that says nothing as long as it may be silent', async () => {
    const clock = new ManualClock();
    const silent = await serveHttp(() => undefined);
    const settings = { ...s3.settings, s3Url: `${silent.url}/turnpike/files` };
    const contents = new S3Contents(settings.s3Url, settings, { silenceMs: 5_000, clock });
    const state = { isOver: false };
    const failed = expect(contents.read(newId('blob'), 1))
      .rejects.toMatchObject({
        type: 'STORAGE_UNAVAILABLE',
        cause: { message: expect.stringContaining('nothing came for 5000 ms') },
      })
      .finally(() => (state.isOver = true));
    // Its second silence is the last: the store may be silent that long, not that long for each try.
    for (let waited = 0; !state.isOver && waited < 4; waited += 1) {
      await expectSoon(() => expect(state.isOver || clock.pending > 0).toBe(true));
      await clock.advance(5_000);
    }
    await failed;
    await silent.close();
  });
});
