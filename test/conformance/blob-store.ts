import { createHash, randomBytes } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { eq } from 'drizzle-orm';
import { BlobStore, SNIFF_BYTES, type BlobContents } from '../../src/attachments/blob-store.js';
import { StoredFiles } from '../../src/attachments/stored-files.js';
import { newId } from '../../src/platform/ids.js';
import type { SessionStore } from '../../src/session/session-store.js';
import type { Database } from '../../src/storage/connection.js';
import { blobs, blobWrites, uploads } from '../../src/storage/file-schema.js';
import { sessions } from '../../src/storage/schema.js';
import { memoryInUse } from '../support/memory-in-use.js';
import { ManualClock } from '../support/manual-clock.js';
import { openSessions } from '../support/open-sessions.js';

export interface BlobStoreUnderTest {
  db: Database;
  contents: BlobContents;
  /** Whether stored bytes take memory of this process: a database in memory, and a slow one. */
  isStoredInProcess: boolean;
  close(): Promise<void>;
}

const KiB = 1024;
const MiB = 1024 * KiB;
const HOUR_MS = 60 * 60 * 1_000;

async function* chunksOf(...chunks: (string | Uint8Array)[]): AsyncGenerator<Uint8Array> {
  for (const chunk of chunks) yield Buffer.from(chunk);
}

const hashOf = (content: string | Uint8Array): string =>
  createHash('sha256').update(content).digest('hex');

/** The contract of every blob store, on any database and any medium. */
export function blobStoreConformance(name: string, open: () => Promise<BlobStoreUnderTest>): void {
  describe(`${name} as a blob store`, () => {
    let under: BlobStoreUnderTest;
    beforeAll(async () => {
      under = await open();
    });
    afterAll(() => under.close());

    let clock: ManualClock;
    let store: BlobStore;
    let sessionStore: SessionStore;
    beforeEach(async () => {
      clock = new ManualClock();
      await under.db.delete(sessions);
      await under.db.delete(uploads);
      store = new BlobStore(under.db, under.contents, new ManualClock(clock.now() + 24 * HOUR_MS));
      await store.collect();
      store = new BlobStore(under.db, under.contents, clock);
      sessionStore = openSessions(under.db, clock, 1_000);
    });

    const contentIdOf = async (sha256: string): Promise<string> => {
      const [blob] = await under.db.select().from(blobs).where(eq(blobs.sha256, sha256));
      return blob?.contentId ?? 'none';
    };
    const writes = async (): Promise<string[]> =>
      (await under.db.select().from(blobWrites)).map((write) => write.contentId);
    const newSession = async (): Promise<string> => {
      const wanted = { projectRoot: '/work/a', persona: 'WORKING_ITEMS', mode: 'direct' };
      return (await sessionStore.create(wanted)).id;
    };

    it('gives back what was put, and says what it is', async () => {
      const stored = await store.put(chunksOf('hel', '', 'lo'));
      expect(stored).toEqual({ sha256: hashOf('hello'), size: 5, start: Buffer.from('hello') });
      expect(await store.get(stored.sha256)).toEqual(Buffer.from('hello'));
      expect(await store.get(hashOf('other'))).toBeUndefined();
      expect(await store.pieces(hashOf('other'))).toBeUndefined();
      expect(await writes()).toEqual([]);
    });

    it('takes nothing for a content', async () => {
      const stored = await store.put(chunksOf());
      expect(stored).toEqual({ sha256: hashOf(''), size: 0, start: Buffer.alloc(0) });
      expect(await store.get(stored.sha256)).toEqual(Buffer.alloc(0));
    });

    it.each([256 * KiB, 256 * KiB + 1, 600 * KiB])('takes %i bytes', async (size) => {
      const content = randomBytes(size);
      const { sha256, start } = await store.put(
        chunksOf(content.subarray(0, 100_000), content.subarray(100_000)),
      );
      expect(Buffer.from(start).equals(content.subarray(0, SNIFF_BYTES))).toBe(true);
      expect((await store.get(sha256))?.equals(content)).toBe(true);
      const pieces: Uint8Array[] = [];
      for await (const piece of (await store.pieces(sha256)) ?? []) pieces.push(piece);
      expect(Buffer.concat(pieces).equals(content)).toBe(true);
      expect(Math.max(...pieces.map(({ length }) => length))).toBeLessThanOrEqual(256 * KiB);
    });

    it('keeps one of many that are the same, one after the other or at once', async () => {
      const first = await store.put(chunksOf('same'));
      const contentId = await contentIdOf(first.sha256);
      const contents = ['same', 'same', 'new', 'new', 'new'];
      await Promise.all(contents.map((content) => store.put(chunksOf(content))));
      expect(await contentIdOf(first.sha256)).toBe(contentId);
      expect(await under.db.select().from(blobs)).toHaveLength(2);
      expect(await writes()).toEqual([]);
      expect(await store.get(hashOf('new'))).toEqual(Buffer.from('new'));
    });

    it('throws what the content throws, and keeps nothing', async () => {
      const failure = new Error('the client went away');
      async function* broken(): AsyncGenerator<Uint8Array> {
        yield randomBytes(600 * KiB);
        throw failure;
      }
      await expect(store.put(broken())).rejects.toBe(failure);
      expect(await under.db.select().from(blobs)).toEqual([]);
      expect(await writes()).toEqual([]);
    });

    it('removes what a write left that died, and such a write ends in nothing', async () => {
      let end = (): void => undefined;
      const ended = new Promise<void>((resolve) => {
        end = resolve;
      });
      const content = randomBytes(600 * KiB);
      let isHalfWay = (): void => undefined;
      const halfWay = new Promise<void>((resolve) => {
        isHalfWay = resolve;
      });
      async function* slow(): AsyncGenerator<Uint8Array> {
        yield content;
        isHalfWay();
        await ended;
      }
      const put = store.put(slow());
      await halfWay;
      const [contentId = 'none'] = await writes();
      await clock.advance(HOUR_MS);
      await store.collect();
      expect(await writes()).toEqual([contentId]);
      await clock.advance(1);
      await store.collect();
      expect(await writes()).toEqual([]);
      end();
      await expect(put).rejects.toThrow();
      expect(await store.get(hashOf(content))).toBeUndefined();
      expect(await under.contents.has(contentId, content.length)).toBe(false);
    });

    it('takes a content again that has vanished or is not whole', async () => {
      const { sha256 } = await store.put(chunksOf('whole'));
      const vanished = await contentIdOf(sha256);
      await under.contents.remove(vanished);
      expect(await store.get(sha256)).toBeUndefined();
      await store.put(chunksOf('whole'));
      expect(await store.get(sha256)).toEqual(Buffer.from('whole'));

      const partial = newId('blob');
      await under.contents.write(partial, chunksOf('who'));
      await under.contents.remove(await contentIdOf(sha256));
      await under.db.update(blobs).set({ contentId: partial });
      expect(await store.get(sha256)).toBeUndefined();
      await Promise.all([store.put(chunksOf('whole')), store.put(chunksOf('whole'))]);
      expect(await store.get(sha256)).toEqual(Buffer.from('whole'));
      expect((await writes()).sort()).toEqual([vanished, partial].sort());
      expect(await store.collect()).toBe(0);
      expect(await writes()).toEqual([]);
      expect(await under.contents.has(partial, 3)).toBe(false);
      expect(await store.get(sha256)).toEqual(Buffer.from('whole'));
    });

    it('reads no content of another size', async () => {
      const contentId = newId('blob');
      await under.contents.write(contentId, chunksOf('abc'));
      expect(await under.contents.read(contentId, 2)).toBeUndefined();
      expect(await under.contents.read(contentId, 4)).toBeUndefined();
      expect(await under.contents.read(contentId, 3)).toEqual(Buffer.from('abc'));
      expect([
        await under.contents.has(contentId, 2),
        await under.contents.has(contentId, 3),
      ]).toEqual([false, true]);
      await under.contents.remove(contentId);
      await under.contents.remove(contentId);
      expect(await under.contents.read(contentId, 3)).toBeUndefined();
    });

    it('removes what nobody uses an hour after it was last put', async () => {
      const { sha256, size } = await store.put(chunksOf('a'));
      const contentId = await contentIdOf(sha256);
      await clock.advance(HOUR_MS);
      expect(await store.collect()).toBe(0);
      await store.put(chunksOf('a'));
      await clock.advance(HOUR_MS);
      expect(await store.collect()).toBe(0);
      await clock.advance(1);
      expect(await store.collect()).toBe(1);
      expect(await store.get(sha256)).toBeUndefined();
      expect(await under.contents.has(contentId, size)).toBe(false);
      expect(await writes()).toEqual([]);
    });

    it('keeps what sessions use until the last of them is deleted', async () => {
      const used = await store.put(chunksOf('used'));
      const unused = await store.put(chunksOf('unused'));
      const [first, second] = [await newSession(), await newSession()];
      await store.keep(first, [used.sha256, used.sha256]);
      await store.keep(second, [used.sha256]);
      await store.keep(second, [used.sha256]);
      await store.keep(second, []);
      await clock.advance(2 * HOUR_MS);
      expect(await store.collect()).toBe(1);
      expect(await store.get(unused.sha256)).toBeUndefined();
      await sessionStore.delete(first, { id: 'local' });
      expect(await store.collect()).toBe(0);
      expect(await store.get(used.sha256)).toEqual(Buffer.from('used'));
      await sessionStore.delete(second, { id: 'local' });
      expect(await store.collect()).toBe(1);
      expect(await store.get(used.sha256)).toBeUndefined();
    });

    it('keeps an upload for a day', async () => {
      const file = { name: 'a.txt', mimeType: 'text/plain', ...(await store.put(chunksOf('a'))) };
      await new StoredFiles(under.db, clock).addUpload(file);
      await clock.advance(24 * HOUR_MS);
      expect(await store.collect()).toBe(0);
      await clock.advance(1);
      expect(await store.collect()).toBe(1);
      expect(await store.get(file.sha256)).toBeUndefined();
    });

    it('refuses to keep what is gone', async () => {
      const { sha256 } = await store.put(chunksOf('a'));
      const sessionId = await newSession();
      const missing = hashOf('missing');
      await expect(store.keep(sessionId, [sha256, missing])).rejects.toMatchObject({
        type: 'ATTACHMENT_FAILURE',
        status: 400,
        details: { missing: [missing] },
      });
    });

    it('keeps in the transaction it is given', async () => {
      const { sha256 } = await store.put(chunksOf('a'));
      const sessionId = await newSession();
      const broken = under.db.transaction(async (tx) => {
        await store.keep(sessionId, [sha256], tx);
        throw new Error('rolled back');
      });
      await expect(broken).rejects.toThrow('rolled back');
      await clock.advance(HOUR_MS + 1);
      expect(await store.collect()).toBe(1);
    });

    it('either removes or keeps what is put and used while it collects', async () => {
      const sessionId = await newSession();
      for (let round = 0; round < 8; round += 1) {
        const [put, kept] = [`put ${round}`, `kept ${round}`];
        await Promise.all([put, kept].map((content) => store.put(chunksOf(content))));
        await clock.advance(HOUR_MS + 1);
        const [keeping] = await Promise.allSettled([
          store.keep(sessionId, [hashOf(kept)]),
          store.put(chunksOf(put)),
          store.collect(),
          store.collect(),
        ]);
        expect(await store.get(hashOf(put))).toEqual(Buffer.from(put));
        const isKept = keeping.status === 'fulfilled';
        const found = await store.get(hashOf(kept));
        // A collection that met a new use leaves all for the next time.
        if (isKept) expect(found).toEqual(Buffer.from(kept));
        else expect(found).toBeUndefined();
      }
      await store.collect();
      expect(await writes()).toEqual([]);
    });

    it('takes a large content and has little of it in memory', async () => {
      const wanted = (under.isStoredInProcess ? 2 : 8) * MiB;
      const pieces = wanted / (64 * KiB);
      const inUse: number[] = [];
      async function* large(): AsyncGenerator<Uint8Array> {
        for (let count = 1; count <= pieces; count += 1) {
          yield Buffer.alloc(64 * KiB, count);
          if (count === 1 || count === pieces) inUse.push((await memoryInUse()).buffers);
        }
      }
      const { sha256, size } = await store.put(large());
      expect(size).toBe(wanted);
      expect((await store.get(sha256))?.length).toBe(size);
      // Growth is from the first piece to the last: what earlier tests left may go meanwhile.
      const grown = (inUse.at(-1) ?? 0) - (inUse[0] ?? 0);
      if (!under.isStoredInProcess) expect(grown).toBeLessThan(wanted / 2);
    });
  });
}
