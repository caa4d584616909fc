import { beforeEach, describe, expect, it } from '@jest/globals';
import { eq } from 'drizzle-orm';
import { useDatabase } from '../../test/support/database/database.js';
import { ManualClock } from '../../test/support/manual-clock.js';
import { storeTurn } from '../../test/support/turn/store-turn.js';
import { sessions, turns } from '../storage/schema.js';
import type { SessionStore } from './session-store.js';
import { viewSession } from './session.dto.js';
import { openSessions } from '../../test/support/open-sessions.js';
import { auditLog } from '../storage/governance-schema.js';

describe('SessionStore', () => {
  const database = useDatabase();

  let clock: ManualClock;
  let store: SessionStore;
  beforeEach(async () => {
    await database.db.delete(sessions);
    clock = new ManualClock();
    store = openSessions(database.db, clock, 3);
  });

  const wanted = { projectRoot: '/work/a', persona: 'WORKING_ITEMS', mode: 'direct' };

  it('creates a session that has nothing but what was asked for', async () => {
    const created = await store.create(wanted);
    expect(viewSession(created)).toEqual({
      sessionId: expect.stringMatching(/^sess_[0-9a-f-]{36}$/),
      ...wanted,
      createdAt: '2026-01-01T00:00:00.000Z',
      updatedAt: '2026-01-01T00:00:00.000Z',
    });
    expect(await store.get(created.id)).toEqual(created);
  });

  it('keeps no more sessions than it may, however many come at once', async () => {
    const created = await Promise.allSettled([1, 2, 3, 4, 5].map(() => store.create(wanted)));
    const refusals = created.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []));
    expect(refusals).toHaveLength(2);
    for (const refusal of refusals) {
      expect(refusal).toMatchObject({
        type: 'SESSION_LIMIT',
        status: 429,
        details: { maxSessions: 3 },
      });
    }
    const [first] = await store.list(wanted.projectRoot);
    await store.delete(first?.id ?? '', { id: 'local' });
    await expect(store.create(wanted)).resolves.toMatchObject(wanted);
  });

  it('gives a session another title, which leaves it where it was in lists', async () => {
    const { id, updatedAt } = await store.create(wanted);
    await clock.advance(1_000);
    expect(await store.rename(id, 'Sums')).toMatchObject({ title: 'Sums', updatedAt });
    expect(await store.get(id)).toMatchObject({ title: 'Sums', updatedAt });
  });

  it('deletes a session that no turn is in but copies, and leaves any other', async () => {
    const [empty, fork, used] = await Promise.all([1, 2, 3].map(() => store.create(wanted)));
    await storeTurn(database.db, { sessionId: fork?.id ?? '', copiedFrom: 'turn_1' });
    await storeTurn(database.db, { sessionId: used?.id ?? '' });
    for (const { id } of await store.list(wanted.projectRoot))
      await store.deleteUnused(id, { id: 'ann' });
    await store.deleteUnused(empty?.id ?? '', { id: 'ann' });
    expect((await store.list(wanted.projectRoot)).map(({ id }) => id)).toEqual([used?.id]);
    const deleted = await database.db
      .select({ subject: auditLog.subject })
      .from(auditLog)
      .where(eq(auditLog.action, 'session.deleted'));
    expect(deleted.map(({ subject }) => subject)).toEqual(
      expect.arrayContaining([empty?.id, fork?.id]),
    );
  });

  it('lists the sessions of one project, oldest first', async () => {
    const ids: string[] = [];
    for (const projectRoot of ['/work/a', '/work/b', '/work/a']) {
      ids.push((await store.create({ ...wanted, projectRoot })).id);
      await clock.advance(1);
    }
    const listed = await store.list('/work/a');
    expect(listed.map((session) => session.id)).toEqual([ids[0], ids[2]]);
    expect(await store.list('/work')).toEqual([]);
  });

  it('stores what a boot found out, and the time of that', async () => {
    const { id } = await store.create(wanted);
    await clock.advance(1_000);
    await store.update(id, { claudeSessionId: 'claude_x', bootedAt: new Date(clock.now()) });
    await clock.advance(1_000);
    await store.update(id, { model: 'claude-y' });
    expect(viewSession(await store.get(id))).toEqual({
      sessionId: id,
      ...wanted,
      createdAt: '2026-01-01T00:00:00.000Z',
      updatedAt: '2026-01-01T00:00:02.000Z',
      claudeSessionId: 'claude_x',
      bootedAt: '2026-01-01T00:00:01.000Z',
      model: 'claude-y',
    });
  });

  it('updates inside the transaction it is given', async () => {
    const { id } = await store.create(wanted);
    const broken = database.db.transaction(async (tx) => {
      await store.update(id, { model: 'claude-y' }, tx);
      throw new Error('rolled back');
    });
    await expect(broken).rejects.toThrow('rolled back');
    expect((await store.get(id)).model).toBeNull();
  });

  it('deletes a session with its turns', async () => {
    const { id } = await store.create(wanted);
    await storeTurn(database.db, { sessionId: id, status: 'completed' });
    await store.delete(id, { id: 'local' });
    expect(await database.db.select().from(turns)).toEqual([]);
  });

  it('writes down who made a session, and who deleted it', async () => {
    await database.db.delete(auditLog);
    const { id } = await store.create({ ...wanted, principalId: 'ann' });
    await store.delete(id, { id: 'boss' });
    const { principalId, action, subject } = auditLog;
    const entries = await database.db
      .select({ principalId, action, subject })
      .from(auditLog)
      .orderBy(auditLog.action);
    expect(entries).toEqual([
      { principalId: 'ann', action: 'session.created', subject: id },
      { principalId: 'boss', action: 'session.deleted', subject: id },
    ]);
  });

  it.each([
    'sess_00000000-0000-4000-8000-000000000000',
    'turn_00000000-0000-4000-8000-000000000000',
    '../../etc/passwd',
    'a\0b',
    '',
  ])('knows no session %j', async (id) => {
    const notFound = { type: 'SESSION_NOT_FOUND', status: 404 };
    await expect(store.get(id)).rejects.toMatchObject(notFound);
    await expect(store.delete(id, { id: 'local' })).rejects.toMatchObject(notFound);
  });

  it('knows no session to update that was deleted', async () => {
    const { id } = await store.create(wanted);
    await store.delete(id, { id: 'local' });
    await expect(store.update(id, { model: 'x' })).rejects.toMatchObject({ status: 404 });
  });
});
