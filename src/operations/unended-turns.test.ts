import { beforeAll, describe, expect, it } from '@jest/globals';
import { sql } from 'drizzle-orm';
import { useDatabase } from '../../test/support/database/database.js';
import { storeTurn } from '../../test/support/turn/store-turn.js';
import { findUnendedTurns, viewStatuses } from './unended-turns.js';

describe('turns that have not ended', () => {
  const ids: Record<string, string> = {};
  const at = (second: number): Date => new Date(Date.UTC(2026, 0, 1, 0, 0, second));
  const database = useDatabase();
  beforeAll(async () => {
    const { db } = database;
    for (const second of [3, 1, 2, 5, 4]) {
      ids[`queued ${second}`] = await storeTurn(db, { status: 'queued', createdAt: at(second) });
    }
    const leaseUntil = new Date(Date.now() + 600_000);
    ids['alone'] = await storeTurn(db, { leaseUntil, createdAt: at(1), startedAt: at(2) });
    ids['parent'] = await storeTurn(db, { leaseUntil, createdAt: at(2) });
    const child = { parentTurnId: ids['parent'], parentCallId: 'call_1', createdAt: at(3) };
    ids['child'] = await storeTurn(db, { leaseUntil, ...child });
    ids['lost'] = await storeTurn(db, { leaseUntil: at(0), createdAt: at(4) });
    ids['asks'] = await storeTurn(db, { status: 'waiting', waitingSince: at(9) });
    for (const status of ['completed', 'failed', 'interrupted', 'limited'] as const) {
      await storeTurn(db, { status });
    }
  });

  const view = async (most: number) =>
    viewStatuses(await findUnendedTurns(database.db, most), most);
  const idsOf = (shown: readonly { turnId: string }[]) => shown.map(({ turnId }) => turnId);
  const named = (...names: string[]) => names.map((name) => ids[name]);

  it('are shown from either end, each once, and counted whole', async () => {
    const { queued, running, waiting, held } = await view(2);
    expect([queued.depth, running.depth, waiting.depth, held.depth]).toEqual([5, 4, 1, 0]);
    expect(idsOf(queued.oldest)).toEqual(named('queued 1', 'queued 2'));
    expect(idsOf(queued.newest)).toEqual(named('queued 5', 'queued 4'));
    const three = (await view(3)).queued;
    expect(idsOf(three.oldest)).toEqual(named('queued 1', 'queued 2', 'queued 3'));
    expect(idsOf(three.newest)).toEqual(named('queued 5', 'queued 4'));
    expect(held).toEqual({ depth: 0, oldest: [], newest: [] });
  });

  it('have a slot on a worker unless they lost their lease, or wait for their subagents', async () => {
    const { running } = await view(25);
    const inSlots = running.oldest.filter((turn) => turn.placed);
    expect(idsOf(inSlots)).toEqual(named('alone', 'child'));
    const found = await findUnendedTurns(database.db, 1);
    expect(found.find(({ status }) => status === 'running')?.slotsUsed).toBe(2);
  });

  it('are shown with ids and times, and what each is about', async () => {
    const { running, waiting } = await view(25);
    expect(running.oldest[0]).toEqual({
      turnId: ids['alone'],
      sessionId: expect.stringMatching(/^sess_/),
      principal: 'local',
      message: expect.any(String),
      agent: 'WORKING_ITEMS',
      projectRoot: expect.stringMatching(/^\//),
      attempt: 1,
      createdAt: '2026-01-01T00:00:01.000Z',
      startedAt: '2026-01-01T00:00:02.000Z',
      waitingSince: null,
      placed: true,
    });
    expect(running.oldest[2]).toMatchObject({ parentTurnId: ids['parent'] });
    expect(waiting.oldest[0]?.waitingSince).toBe('2026-01-01T00:00:09.000Z');
  });

  it('are found by the index that has no others', async () => {
    await database.db.transaction(async (tx) => {
      await tx.execute(sql`set local enable_seqscan = off`);
      const query = findUnendedTurns(tx, 25).getSQL();
      const { rows } = await tx.execute(sql`explain ${query}`);
      expect(JSON.stringify(rows)).toMatch(/turns_active/);
    });
  });
});
