import { randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { DiskContents } from '../../src/attachments/blobs/disk-contents.js';
import { PostgresContents } from '../../src/attachments/blobs/postgres-contents.js';
import { S3Contents } from '../../src/attachments/blobs/s3-contents.js';
import { newId } from '../../src/platform/ids.js';
import { bothDatabases } from '../support/database/both-databases.js';
import { startS3, type TestS3 } from '../support/files/start-s3.js';
import { newFolder } from '../support/suite.js';
import { blobStoreConformance } from './blob-store.js';

for (const [name, open] of bothDatabases) {
  blobStoreConformance(`A disk with ${name}`, async () => {
    const { db, close } = await open();
    return { db, contents: new DiskContents(newFolder()), isStoredInProcess: false, close };
  });

  blobStoreConformance(name, async () => {
    const { db, copyOut, close } = await open();
    const contents = new PostgresContents(db, copyOut);
    return { db, contents, isStoredInProcess: copyOut === undefined, close };
  });

  blobStoreConformance(`S3 with ${name}`, async () => {
    const [{ db, close }, s3] = await Promise.all([open(), startS3(newFolder())]);
    return {
      db,
      contents: new S3Contents(s3.settings.s3Url, s3.settings),
      isStoredInProcess: false,
      close: async () => void (await Promise.all([close(), s3.close()])),
    };
  });
}

describe('a bucket that refuses or is gone', () => {
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
  ])('is an error to try again, and the log has why: %s', async (_name, urlOf, secret, cause) => {
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
  });

  it('waits for a reader that is slower than the store may be', async () => {
    const contents = new S3Contents(s3.settings.s3Url, s3.settings, 300);
    const id = newId('blob');
    const stored = randomBytes(2 * 1024 * 1024);
    await contents.write(id, Readable.from([stored]));
    const read: Uint8Array[] = [];
    for await (const piece of contents.pieces(id)) {
      read.push(piece);
      await setTimeout(100);
    }
    expect(Buffer.concat(read).equals(stored)).toBe(true);
  });
});
