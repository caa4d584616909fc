import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { sql } from 'drizzle-orm';
import { openTestDatabase } from '../../../test/support/database/database.js';
import { storeSession, storeTurn } from '../../../test/support/turn/store-turn.js';
import type { OpenedDatabase } from '../../storage/connection.js';
import { listTurns, type ListedTurn, viewListedTurn } from './list-turns.js';

describe('the turns of a session', () => {
  let database: OpenedDatabase;
  let sessionId: string;
  beforeAll(async () => {
    database = await openTestDatabase();
    sessionId = await storeSession(database.db);
    const alien = await storeSession(database.db);
    for (const second of [1, 2, 2, 2, 3]) {
      const createdAt = new Date(Date.UTC(2026, 0, 1, 0, 0, second));
      await storeTurn(database.db, { status: 'completed', sessionId, createdAt });
      await storeTurn(database.db, { status: 'completed', sessionId: alien, createdAt });
    }
  });
  afterAll(() => database.close());

  const page = (limit: number, after?: string) =>
    listTurns(database.db, sessionId, { after, limit });

  it.each([1, 2, 5, 6])('have each once, the newest first: %i at a time', async (limit) => {
    const whole = await page(100);
    expect(whole).toHaveLength(5);
    const times = whole.map(({ createdAt }) => createdAt.getTime());
    expect(times).toEqual(times.toSorted((a, b) => b - a));
    const all: ListedTurn[] = [];
    for (let after: string | undefined; ;) {
      const found = await page(limit, after);
      if (found.length === 0) break;
      all.push(...found);
      after = found.at(-1)?.id;
    }
    expect(all).toEqual(whole);
  });

  it('are read from an index', async () => {
    const [newest] = await page(1);
    await database.db.transaction(async (tx) => {
      await tx.execute(sql`set local enable_seqscan = off`);
      const query = listTurns(tx, sessionId, { after: newest?.id, limit: 50 }).getSQL();
      const { rows } = await tx.execute(sql`explain ${query}`);
      expect(JSON.stringify(rows)).toContain('Index Scan Backward using turns_by_session');
    });
  });

  it('say how they ended once they have', async () => {
    const [turn] = await page(1);
    if (turn === undefined) throw new Error('No turn');
    const usage = { inputTokens: 1, outputTokens: 2, cacheReadTokens: 3, cacheWriteTokens: 4 };
    const ended = { status: 'limited' as const, endReason: 'max_iterations', usage };
    const endedAt = new Date(Date.UTC(2026, 0, 2));
    expect(viewListedTurn({ ...turn, ...ended, endedAt })).toMatchObject({
      turnId: turn.id,
      model: 'claude-sonnet-5-5',
      persona: 'WORKING_ITEMS',
      outcome: 'limited',
      reason: 'max_iterations',
      usage,
      endedAt: '2026-01-02T00:00:00.000Z',
    });
    for (const status of ['held', 'queued', 'running', 'waiting'] as const) {
      expect(viewListedTurn({ ...turn, status, endedAt: null })).toMatchObject({
        status,
        outcome: null,
        reason: null,
        usage: null,
        startedAt: null,
        endedAt: null,
      });
    }
  });
});
