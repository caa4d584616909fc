import { beforeEach, describe, expect, it } from '@jest/globals';
import { asc, eq } from 'drizzle-orm';
import { bothDatabases } from '../../../test/support/database/both-databases.js';
import { newTurn } from '../../../test/support/turn/new-turn.js';
import { storeSession, storeTurn } from '../../../test/support/turn/store-turn.js';
import { openTestServices } from '../../../test/support/turn/turn-services.js';
import { sessions, turns } from '../../storage/schema.js';
import type { TurnStatus } from '../../storage/shapes/stored-turn.js';
import { TurnInserter } from '../submit/insert-turn.js';
import { useShared } from '../../../test/support/suite.js';
import { useDatabase } from '../../../test/support/database/database.js';

describe.each(bothDatabases)('the turns behind one that ends, on %s', (_name, open) => {
  let sessionId: string;
  const database = useDatabase(open);
  const test = useShared(() => openTestServices(database, []));
  beforeEach(async () => {
    await database.db.delete(sessions);
    sessionId = await storeSession(database.db);
  });

  const at = (second: number): Date => new Date(Date.UTC(2026, 0, 1, 0, 0, second));
  const turnIn = (status: TurnStatus, more: Partial<typeof turns.$inferInsert> = {}) =>
    storeTurn(database.db, { sessionId, status, attempt: status === 'held' ? 0 : 1, ...more });
  const held = (second: number, more: Partial<typeof turns.$inferInsert> = {}) =>
    turnIn('held', { createdAt: at(second), ...more });
  const go = () => test.services.notifier.promoteNext(sessionId);
  const queued = async () =>
    (
      await database.db
        .select()
        .from(turns)
        .where(eq(turns.status, 'queued'))
        .orderBy(asc(turns.createdAt))
    ).map(({ id }) => id);
  const end = async (id: string) =>
    database.db.update(turns).set({ status: 'completed' }).where(eq(turns.id, id));
  const rowOf = async (id: string) => {
    const [row] = await database.db.select().from(turns).where(eq(turns.id, id));
    return row;
  };

  it('go one by one, in the order they came', async () => {
    const ids = [await held(1), await held(2), await held(3)];
    for (const [index, id] of ids.entries()) {
      await go();
      expect(await queued()).toEqual([id]);
      expect((await rowOf(id))?.hasNext).toBe(index < 2);
      expect(await test.services.queue.depth()).toBeGreaterThan(0);
      await end(id);
    }
    await go();
    expect(await queued()).toEqual([]);
  });

  it('go after the one that goes first', async () => {
    await held(1);
    const first = await held(2, { goesFirst: true });
    await go();
    expect(await queued()).toEqual([first]);
  });

  it('do not count when they were asked to end', async () => {
    await held(1, { cancelRequestedAt: new Date(), cancelReason: 'interrupt' });
    const next = await held(2);
    await go();
    expect(await queued()).toEqual([next]);
  });

  it.each(['queued', 'running', 'waiting'] as const)('stay while one is %s', async (status) => {
    await turnIn(status);
    const id = await held(1);
    await go();
    expect((await rowOf(id))?.status).toBe('held');
  });

  it('are let go once, by however many at once', async () => {
    const ids = [await held(1), await held(2), await held(3)];
    await Promise.all(Array.from({ length: 10 }, go));
    expect(await queued()).toEqual(ids.slice(0, 1));
  });

  it('share the lock with a request that comes in the same moment', async () => {
    for (let round = 0; round < 20; round += 1) {
      await database.db.delete(turns);
      await held(1);
      const limits = { queueDepth: 1_000, concurrentTurns: 0 };
      const [accepted] = await Promise.all([
        new TurnInserter(database.db).insert(newTurn(sessionId), limits),
        go(),
      ]);
      // The lock is one's; no fault is logged.
      expect(await queued()).toHaveLength(1);
      const statuses = (await database.db.select().from(turns)).map(({ status }) => status);
      expect(statuses.sort()).toEqual(accepted.type === 'stored' ? ['held', 'queued'] : ['queued']);
    }
  });

  it('have their new positions published', async () => {
    await held(1);
    const [second, third] = [await held(2), await held(3)];
    await go();
    for (const [index, id] of [second, third].entries()) {
      expect(await test.services.log.read(id)).toEqual([
        expect.objectContaining({ type: 'turn.queued', position: index + 1, attempt: 0 }),
      ]);
    }
  });
});
