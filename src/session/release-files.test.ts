import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { openTestDatabase } from '../../test/support/database/database.js';
import { storeSession, storeTurn } from '../../test/support/turn/store-turn.js';
import type { OpenedDatabase } from '../storage/connection.js';
import { blobs, sessionBlobs } from '../storage/file-schema.js';
import { sessions } from '../storage/schema.js';
import { releaseFiles } from './release-files.js';

const DAY_MS = 86_400_000;

let database: OpenedDatabase;
beforeAll(async () => {
  database = await openTestDatabase();
});
afterAll(() => database.close());

it('files of sessions without use are released, and of no other', async () => {
  const { db } = database;
  const sha256 = 'a'.repeat(64);
  await db.insert(blobs).values({ sha256, size: 1, contentId: 'blob_a', touchedAt: new Date() });
  const [idle, busy, used] = [
    await storeSession(db),
    await storeSession(db),
    await storeSession(db),
  ];
  for (const sessionId of [idle, busy, used]) {
    await db.insert(sessionBlobs).values({ sessionId, sha256 });
  }
  const later = new Date(Date.now() + 10 * DAY_MS);
  await db.update(sessions).set({ updatedAt: new Date(later.getTime() - 20 * DAY_MS) });
  await storeTurn(db, { sessionId: idle, status: 'completed', createdAt: new Date() });
  await storeTurn(db, { sessionId: busy, status: 'waiting' });
  const ended = new Date(later.getTime() - DAY_MS);
  await storeTurn(db, { sessionId: used, status: 'completed', createdAt: ended });
  expect(await releaseFiles(db, later, 0)).toBe(0);
  expect(await releaseFiles(db, later, 5)).toBe(1);
  const left = await db.select({ id: sessionBlobs.sessionId }).from(sessionBlobs);
  expect(left.map(({ id }) => id).toSorted()).toEqual([busy, used].toSorted());
  expect(await db.select().from(sessions)).toHaveLength(3);
});
