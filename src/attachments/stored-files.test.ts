import { Readable } from 'node:stream';
import { describe, expect, it } from '@jest/globals';
import { useDatabase } from '../../test/support/database/database.js';
import { ManualClock } from '../../test/support/manual-clock.js';
import { newId } from '../platform/ids.js';
import { BlobStore } from './blob-store.js';
import { DiskContents } from './blobs/disk-contents.js';
import { StoredFiles } from './stored-files.js';
import { newFolder } from '../../test/support/suite.js';

describe('StoredFiles', () => {
  const database = useDatabase();
  const folder = newFolder();

  it('finds those that were added, for a day, and none for other text', async () => {
    const clock = new ManualClock();
    const { db } = database;
    const store = new BlobStore(db, new DiskContents(folder), clock);
    const { sha256, size } = await store.put(Readable.from([Buffer.from('a')]));
    const file = { name: 'a.txt', mimeType: 'text/plain', sha256, size };
    const stored = new StoredFiles(db, clock);
    const [first, second] = [await stored.addUpload(file), await stored.addUpload(file)];
    expect(first.id).toMatch(/^att_[0-9a-f-]{36}$/);
    expect(await stored.find([second.id, newId('att'), '../a', 'a\0b', first.id])).toEqual(
      new Map([first, second].map(({ id }) => [id, file])),
    );
    expect(await stored.find([])).toEqual(new Map());
    await clock.advance(24 * 60 * 60 * 1_000);
    await store.collect();
    expect((await stored.find([first.id, second.id])).size).toBe(2);
    await clock.advance(1);
    await store.collect();
    expect(await stored.find([first.id, second.id])).toEqual(new Map());
  });
});
