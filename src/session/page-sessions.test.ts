import { beforeEach, describe, expect, it } from '@jest/globals';
import { eq, sql } from 'drizzle-orm';
import { useDatabase } from '../../test/support/database/database.js';
import { storeSession, storeTurn } from '../../test/support/turn/store-turn.js';
import { sessions } from '../storage/schema.js';
import {
  formatPageToken,
  pageSessions,
  parsePageToken,
  placeOfSession,
  type PagedSession,
} from './page-sessions.js';

describe('the list of sessions', () => {
  const database = useDatabase();
  beforeEach(async () => {
    await database.db.delete(sessions);
  });

  const at = (second: number): Date => new Date(Date.UTC(2026, 0, 1, 0, 0, second));

  async function store(second: number, more: Partial<typeof sessions.$inferInsert> = {}) {
    const id = await storeSession(database.db);
    const facts = { createdAt: at(0), updatedAt: at(second), ...more };
    await database.db.update(sessions).set(facts).where(eq(sessions.id, id));
    return id;
  }

  const page = (limit: number, after?: PagedSession) =>
    pageSessions(database.db, 'local', {
      after: after && parsePageToken(formatPageToken(placeOfSession(after))),
      limit,
    });

  it.each([1, 2, 3, 6, 7])(
    'has each once, the one used last first, also those of one millisecond: %i at a time',
    async (limit) => {
      for (const second of [1, 2, 2, 2, 3, 4]) await store(second);
      await store(5, { principalId: 'somebody' });
      await store(5, { parentTurnId: await storeTurn(database.db, { sessionId: await store(0) }) });
      const whole = await page(100);
      expect(whole).toHaveLength(7);
      const times = whole.map(({ updatedAt }) => updatedAt.getTime());
      expect(times).toEqual(times.toSorted((a, b) => b - a));
      const all: PagedSession[] = [];
      for (let last: PagedSession | undefined; ;) {
        const found = await page(limit, last);
        all.push(...found);
        last = found.at(-1);
        if (last === undefined) break;
      }
      expect(all).toEqual(whole);
    },
  );

  it.each([
    ['show', ['own', 'scheduled']],
    ['hide', ['own']],
    ['only', ['scheduled']],
  ] as const)('has those that schedules made as it is asked: %s', async (scheduled, expected) => {
    await store(2, { title: 'own' });
    await store(1, { title: 'scheduled', origin: 'schedules' });
    const rows = await pageSessions(database.db, 'local', {
      after: undefined,
      limit: 9,
      scheduled,
    });
    expect(rows.map(({ title }) => title)).toEqual(expected);
  });

  it('goes on after a session that was deleted meanwhile', async () => {
    const ids = [await store(3), await store(2), await store(1)];
    const [first] = await page(1);
    await database.db.delete(sessions).where(eq(sessions.id, ids[0] ?? ''));
    expect((await page(10, first)).map(({ id }) => id)).toEqual(ids.slice(1));
  });

  it('has the turn that is active, and what the first one asked', async () => {
    const sessionId = await store(1);
    const request = { opts: undefined, attachments: [], rejectedAttachments: [] };
    const said = (message: string) => ({ request: { message, ...request } });
    const ended = { sessionId, status: 'completed' as const };
    await storeTurn(database.db, { ...ended, ...said('Second'), createdAt: at(2) });
    // A character that the database takes in no text, and one that is half of another.
    const first = `First\0\ud83d ${'x'.repeat(400_000)}`;
    await storeTurn(database.db, { ...ended, ...said(first), createdAt: at(1) });
    const active = await storeTurn(database.db, { sessionId, status: 'waiting' });
    const [listed] = await page(1);
    expect(listed?.activeTurnId).toBe(active);
    expect(listed?.firstRequest).toHaveLength(1_000);
    expect(listed?.firstRequest).toContain('First');
  });

  it('is read from indexes, in order', async () => {
    const after = { usedAt: at(1).getTime(), sessionId: await store(1) };
    await database.db.transaction(async (tx) => {
      await tx.execute(sql`set local enable_seqscan = off`);
      const query = pageSessions(tx, 'local', { after, limit: 50 }).getSQL();
      const { rows } = await tx.execute(sql`explain ${query}`);
      const plan = JSON.stringify(rows);
      for (const index of ['sessions_by_use', 'turns_one_active_per_session', 'turns_by_session']) {
        expect(plan).toContain(`using ${index}`);
      }
      expect(plan).not.toContain('Sort Key: sessions');
    });
  });
});

describe('a cursor of the list', () => {
  const sessionId = 'sess_00000000-0000-4000-8000-000000000000';

  it.each([
    '',
    'x',
    sessionId,
    `:${sessionId}`,
    `1:${sessionId}x`,
    `1:turn_00000000-0000-4000-8000-000000000000`,
    `99999999999999:${sessionId}`,
    `-1:${sessionId}`,
    7,
    null,
    ['1'],
    `1:${sessionId}.`,
    `1:${sessionId}.1:x`,
    `.1:${sessionId}`,
    `1:${sessionId}.1:${sessionId}.x`,
    `1:${sessionId}.1:${sessionId}..`,
  ])('is not %j', (cursor) => {
    expect(parsePageToken(cursor)).toBeUndefined();
  });

  it.each([
    { usedAt: 1, sessionId },
    { usedAt: 1, sessionId, first: { usedAt: 2, sessionId } },
    { usedAt: 1, sessionId, first: { usedAt: 2, sessionId }, moved: '' },
    { usedAt: 1, sessionId, first: { usedAt: 2, sessionId }, moved: sessionId },
  ])('is read as it was written: %j', (token) => {
    expect(parsePageToken(formatPageToken(token))).toEqual(token);
  });

  it('is a time and a session', () => {
    expect(parsePageToken(`1767225600000:${sessionId}`)).toEqual({
      usedAt: 1_767_225_600_000,
      sessionId,
    });
  });
});
