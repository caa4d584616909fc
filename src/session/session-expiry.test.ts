import { beforeEach, describe, expect, it } from '@jest/globals';
import { eq } from 'drizzle-orm';
import { openTestDatabase, useDatabase } from '../../test/support/database/database.js';
import { storeSession, storeTurn } from '../../test/support/turn/store-turn.js';
import { newTimeId } from '../platform/ids.js';
import { blobs, sessionBlobs } from '../storage/file-schema.js';
import { sessions, turns } from '../storage/schema.js';
import { isLiveSession } from '../wires/named-agents/agent-sessions.js';
import { expireSessions, releaseFiles } from './session-expiry.js';

const TERM_MS = 30 * 60_000;
const start = Date.parse('2026-01-01T00:00:00Z');
const after = (ms: number): Date => new Date(start + ms);

type Session = Partial<typeof sessions.$inferInsert>;
type Turn = Pick<typeof turns.$inferInsert, 'status' | 'endedAt'>;

describe('a session of the agents API', () => {
  const database = useDatabase();
  beforeEach(async () => {
    await database.db.delete(sessions);
  });

  async function store(session: Session = {}, ofTurns: Turn[] = []): Promise<string> {
    const id = newTimeId('sess', start);
    await database.db.insert(sessions).values({
      id,
      projectRoot: '/tmp',
      persona: 'READER',
      mode: 'direct',
      origin: 'named-agents',
      expiresAfterMs: TERM_MS,
      createdAt: after(0),
      updatedAt: after(0),
      ...session,
    });
    for (const turn of ofTurns) await storeTurn(database.db, { sessionId: id, ...turn });
    return id;
  }

  const isLive = (sessionId: string, now: Date): Promise<boolean> =>
    isLiveSession(database.db, { sessionId, agent: 'READER', principalId: 'local', now });

  it.each<[string, Session, Turn[], number]>([
    ['it was made', {}, [], TERM_MS],
    ['it was changed', { updatedAt: after(5_000) }, [], TERM_MS + 5_000],
    ['its last turn ended', {}, [ended(9_000), ended(2_000)], TERM_MS + 9_000],
    ['of a term of its own', { expiresAfterMs: 1_000 }, [ended(500)], 1_500],
  ])('expires a while after %s', async (_what, session, ofTurns, expiresAt) => {
    const id = await store(session, ofTurns);
    const before = after(expiresAt - 1);
    expect([await isLive(id, before), await expireSessions(database.db, before)]).toEqual([
      true,
      0,
    ]);
    const then = after(expiresAt);
    expect([await isLive(id, then), await expireSessions(database.db, then)]).toEqual([false, 1]);
    expect(await database.db.select().from(sessions)).toEqual([]);
  });

  it.each<[string, Session, Turn[]]>([
    ['a turn waits in it', {}, [{ status: 'queued' }]],
    ['a turn runs in it', {}, [{ status: 'running' }, ended(0)]],
    ['it has no term', { expiresAfterMs: null }, [ended(0)]],
  ])('does not expire while %s', async (_what, session, ofTurns) => {
    const id = await store(session, ofTurns);
    const later = after(1_000 * TERM_MS);
    expect(await isLive(id, later)).toBe(true);
    expect(await expireSessions(database.db, later)).toBe(0);
    expect(await database.db.select().from(sessions)).toHaveLength(1);
  });

  it('does not expire while a replay of one of its turns runs, and takes that along then', async () => {
    const id = await store({}, []);
    const recorded = await storeTurn(database.db, { sessionId: id, ...ended(0) });
    const replay = await store({ replayOf: recorded, expiresAfterMs: null });
    const running = await storeTurn(database.db, { sessionId: replay });
    expect(await expireSessions(database.db, after(TERM_MS))).toBe(0);
    await database.db.update(turns).set(ended(1)).where(eq(turns.id, running));
    expect(await expireSessions(database.db, after(TERM_MS))).toBe(1);
    expect(await database.db.select().from(sessions)).toEqual([]);
  });

  it('expires without a term where the server keeps sessions for some days', async () => {
    const days = (count: number): Date => after(count * 86_400_000);
    const own = { expiresAfterMs: null };
    const [old, busy] = [await store(own, [ended(0)]), await store(own, [{ status: 'waiting' }])];
    const turnId = await storeTurn(database.db, { sessionId: busy, status: 'held' });
    const subagent = await store({ ...own, parentTurnId: turnId });
    expect(await expireSessions(database.db, days(6), 7)).toBe(0);
    expect(await expireSessions(database.db, days(8), 0)).toBe(0);
    expect(await expireSessions(database.db, days(8), 7)).toBe(1);
    const left = (await database.db.select().from(sessions)).map(({ id }) => id);
    expect(left.toSorted()).toEqual([busy, subagent].toSorted());
    expect(left).not.toContain(old);
  });

  it('goes in batches, all of a round', async () => {
    for (let count = 0; count < 45; count += 1) await store();
    expect(await expireSessions(database.db, after(TERM_MS))).toBe(45);
    expect(await database.db.select().from(sessions)).toEqual([]);
  });

  it('goes with its turns, and no other with it', async () => {
    await store({}, [ended(1)]);
    const kept = await store({ updatedAt: after(2) });
    expect(await expireSessions(database.db, after(TERM_MS + 1))).toBe(1);
    expect((await database.db.select().from(sessions)).map(({ id }) => id)).toEqual([kept]);
    expect(await database.db.select().from(turns)).toEqual([]);
  });

  it('is its agent’s, and no session of another API', async () => {
    const ofAnother = await store({ persona: 'EDITOR' });
    const ofHarness = await store({ origin: 'harness' });
    const none = newTimeId('sess', start);
    for (const id of [ofAnother, ofHarness, none]) expect(await isLive(id, after(0))).toBe(false);
  });
});

function ended(ms: number): Turn {
  return { status: 'completed', endedAt: after(ms) };
}

const DAY_MS = 86_400_000;

it('files of sessions without use are released, and of no other', async () => {
  const database = await openTestDatabase();
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
  await database.close();
});
