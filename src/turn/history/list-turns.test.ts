import { beforeAll, describe, expect, it, beforeEach } from '@jest/globals';
import { sql } from 'drizzle-orm';
import { useDatabase } from '../../../test/support/database/database.js';
import { storeSession, storeTurn } from '../../../test/support/turn/store-turn.js';
import {
  listTurns,
  type ListedTurn,
  viewListedTurn,
  isTurnOf,
  pageTurns,
  type PlacedTurn,
} from './list-turns.js';

describe('the turns of a session', () => {
  let sessionId: string;
  const database = useDatabase();
  beforeAll(async () => {
    sessionId = await storeSession(database.db);
    const alien = await storeSession(database.db);
    for (const second of [1, 2, 2, 2, 3]) {
      const createdAt = new Date(Date.UTC(2026, 0, 1, 0, 0, second));
      await storeTurn(database.db, { status: 'completed', sessionId, createdAt });
      await storeTurn(database.db, { status: 'completed', sessionId: alien, createdAt });
    }
  });

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

describe('the pages of a session', () => {
  const database = useDatabase();

  const at = (second: number): Date => new Date(Date.UTC(2026, 0, 1, 0, 0, second));
  const more = { status: 'completed' as const };

  let sessionId: string;
  beforeEach(async () => {
    sessionId = await storeSession(database.db);
    const alien = await storeSession(database.db);
    for (const second of [1, 2, 2, 2, 2, 3, 4]) {
      await storeTurn(database.db, { ...more, sessionId, createdAt: at(second) });
      await storeTurn(database.db, { ...more, sessionId: alien, createdAt: at(second) });
    }
  });

  const page = (limit: number, after?: string, summarisedThrough?: string) =>
    pageTurns(database.db, sessionId, { after, limit, summarisedThrough });

  async function pages(limit: number): Promise<PlacedTurn[][]> {
    const all: PlacedTurn[][] = [];
    for (let after: string | undefined; ;) {
      const found = await page(limit, after);
      if (found.length === 0) return all;
      all.push(found);
      after = found.at(-1)?.id;
    }
  }

  it.each([1, 2, 3, 4, 7, 8])(
    'join without holes or repeats where turns came in one millisecond: %i at a time',
    async (limit) => {
      const whole = await page(100);
      expect(whole).toHaveLength(7);
      const all = await pages(limit);
      expect(all.flat()).toEqual(whole);
      expect(Math.max(...all.map(({ length }) => length))).toBe(Math.min(limit, 7));
    },
  );

  it('have what a summary stands for marked, through its last turn and no further', async () => {
    const ids = (await page(100)).map(({ id }) => id);
    for (const [index, through] of ids.entries()) {
      const marks = (await page(100, ids[0], through)).map(({ isSummarised }) => isSummarised);
      expect(marks).toEqual(ids.slice(1).map((_id, i) => i + 1 <= index));
    }
    const unknown = await page(100, undefined, 'turn_gone');
    expect(unknown.some(({ isSummarised }) => isSummarised)).toBe(false);
  });

  it('begin after turns of this session only', async () => {
    const [mine] = await page(1);
    const other = await storeTurn(database.db, more);
    const known = [mine?.id ?? '', other, 'x'].map((id) => isTurnOf(database.db, sessionId, id));
    expect(await Promise.all(known)).toEqual([true, false, false]);
  });
});
