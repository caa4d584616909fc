import { beforeEach, describe, expect, it } from '@jest/globals';
import { sql } from 'drizzle-orm';
import * as fc from 'fast-check';
import { openServerDatabase } from '../../../test/support/database/both-databases.js';
import { someOptions, storeSession, storeTurn } from '../../../test/support/turn/store-turn.js';
import type { OpenedDatabase } from '../../storage/connection.js';
import { sessions, turns } from '../../storage/schema.js';
import type { TurnStatus } from '../../storage/shapes/stored-turn.js';
import { chooseFairly } from './choose-fairly.js';
import { useDatabase } from '../../../test/support/database/database.js';

const start = Date.parse('2026-01-01T00:00:00Z');
const inBackground = {
  ...someOptions,
  options: { ...someOptions.options, priority: 'background' as const },
};

interface Waiting {
  principalId: string;
  background: boolean;
}

describe('the choice of the turn that runs next', () => {
  const database = useDatabase(openServerDatabase);
  beforeEach(async () => {
    // Not `delete`: it looks at each of 20,000 turns.
    await database.db.execute(sql`truncate ${sessions} cascade`);
  });

  let stored = 0;
  const store = (principalId: string, status: TurnStatus, more: Parameters<typeof storeTurn>[1]) =>
    storeTurn(database.db, {
      principalId,
      status,
      createdAt: new Date(start + (stored += 1)),
      ...more,
    });
  const queue = (principalId: string, more: Parameters<typeof storeTurn>[1] = {}) =>
    store(principalId, 'queued', more);
  const run = (principalId: string, more: Parameters<typeof storeTurn>[1] = {}) =>
    store(principalId, 'running', { leaseUntil: new Date(Date.now() + 60_000), ...more });
  const choose = async (most: number, worker: string | null = null): Promise<unknown[]> => {
    const { rows } = await database.db.execute(chooseFairly(most, worker));
    return rows.map((row) => (row as { id: string }).id);
  };

  it('is of the principal with the fewest turns that run, then the oldest', async () => {
    const [a1, a2] = [await queue('a'), await queue('a')];
    const [b1, c1] = [await queue('b'), await queue('c')];
    await run('a');
    await run('c');
    expect(await choose(4)).toEqual([b1, a1, c1, a2]);
    expect(await choose(1)).toEqual([b1]);
  });

  it('is first of those that lost their worker or go on after a question', async () => {
    const waiting = await queue('a');
    const lost = await run('b', { leaseUntil: new Date(0) });
    const answered = await run('b', { leaseUntil: null });
    expect(await choose(3)).toEqual([lost, answered, waiting]);
  });

  it('leaves out what somebody else is about to have', async () => {
    const ids = [await queue('a'), await queue('a'), await queue('a')];
    await database.db.transaction(async (tx) => {
      const { rows } = await tx.execute(chooseFairly(2, null));
      expect(rows).toHaveLength(2);
      expect(await choose(3)).toEqual(ids.slice(2));
    });
    expect(await choose(3)).toEqual(ids);
  });

  it('leaves a turn to the worker that it prefers, until the time is over', async () => {
    const inTime = { preferredUntil: new Date(Date.now() + 60_000) };
    const mine = await queue('a', { preferredWorker: 'mine', ...inTime });
    const late = await queue('a', { preferredWorker: 'gone', preferredUntil: new Date(0) });
    const other = await queue('a', { preferredWorker: 'other', ...inTime });
    expect(await choose(4, 'mine')).toEqual([mine, late]);
    expect(await choose(4, 'other')).toEqual([late, other]);
    expect(await choose(4)).toEqual([late]);
  });

  it('does not leave a turn to a worker that has lost it', async () => {
    const inTime = { preferredWorker: 'gone', preferredUntil: new Date(Date.now() + 60_000) };
    const lost = await run('a', { leaseUntil: new Date(0), ...inTime });
    expect(await choose(1, 'mine')).toEqual([lost]);
  });

  it('has nothing to choose where nothing is queued', async () => {
    await run('a');
    await store('b', 'held', {});
    expect(await choose(3)).toEqual([]);
  });

  it('leaves the background for last, whosever it is', async () => {
    const quiet = await queue('a', { options: inBackground });
    const [b1, b2] = [await queue('b'), await queue('b')];
    await run('b');
    expect(await choose(3)).toEqual([b1, b2, quiet]);
  });

  it('does not count a turn that waits for its subagents: they are counted', async () => {
    const parent = await run('a');
    const child = await queue('a', { parentTurnId: parent, parentCallId: 'toolu_1' });
    const other = await queue('b');
    expect(await choose(2)).toEqual([child, other]);
    await run('a', { parentTurnId: parent, parentCallId: 'toolu_2' });
    expect(await choose(2)).toEqual([other, child]);
  });

  it('is as if each choice ran before the next', async () => {
    const anyWaiting = fc.record({
      principalId: fc.constantFrom('a', 'b', 'c', 'd'),
      background: fc.boolean(),
    });
    const anyRunning = fc.array(fc.constantFrom('a', 'b', 'c', 'e'), { maxLength: 5 });
    await fc.assert(
      fc.asyncProperty(
        fc.array(anyWaiting, { maxLength: 10 }),
        anyRunning,
        fc.integer({ min: 1, max: 6 }),
        async (queued, running, most) => {
          await database.db.delete(sessions);
          for (const principalId of running) await run(principalId);
          const ids: string[] = [];
          for (const { principalId, background } of queued) {
            ids.push(await queue(principalId, background ? { options: inBackground } : {}));
          }
          const expected = chooseOneByOne(queued, running, most).map((index) => ids[index]);
          expect(await choose(most)).toEqual(expected);
        },
      ),
      { numRuns: 30 },
    );
  });

  it.each([1, 100])(
    'reads rows by the principals that wait, not by their 20,000 turns: of %i principals',
    async (principals) => {
      await queueMany(database, { turns: 20_000, principals });
      const explained = await database.db.execute(
        sql`explain (analyze, timing off, format json) ${chooseFairly(1, null)}`,
      );
      const [row] = explained.rows as { 'QUERY PLAN': [{ Plan: PlanNode }] }[];
      if (row === undefined) throw new Error('The database explains nothing');
      const read = rowsRead(row['QUERY PLAN'][0].Plan);
      expect(read).toBeGreaterThanOrEqual(principals);
      // The first of each: as many as others may have locked, and one.
      expect(read).toBeLessThan(100 * principals + 100);
    },
  );
});

/** A node of what `explain` says; rows are the mean of all loops. */
interface PlanNode {
  'Relation Name'?: string;
  'Actual Rows': number;
  'Actual Loops': number;
  'Rows Removed by Filter'?: number;
  Plans?: PlanNode[];
}

/** The rows that a plan reads from tables. */
function rowsRead(node: PlanNode): number {
  const inside = (node.Plans ?? []).reduce((sum, one) => sum + rowsRead(one), 0);
  if (node['Relation Name'] === undefined) return inside;
  const rows = node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0);
  return inside + rows * node['Actual Loops'];
}

/** The rule, without any cleverness. */
function chooseOneByOne(queued: Waiting[], running: string[], most: number): number[] {
  const busy = [...running];
  const left = new Set(queued.keys());
  const chosen: number[] = [];
  while (chosen.length < most && left.size > 0) {
    const [next = -1] = [...left].sort((a, b) => {
      const [first, second] = [queued[a], queued[b]];
      if (first === undefined || second === undefined) return 0;
      const load = ({ principalId }: Waiting): number =>
        busy.filter((id) => id === principalId).length;
      return (
        Number(first.background) - Number(second.background) || load(first) - load(second) || a - b
      );
    });
    chosen.push(next);
    left.delete(next);
    busy.push(queued[next]?.principalId ?? '');
  }
  return chosen;
}

async function queueMany(
  { db }: OpenedDatabase,
  { turns: count, principals }: { turns: number; principals: number },
): Promise<void> {
  const like = await storeSession(db);
  const template = await storeTurn(db, { sessionId: like, status: 'completed' });
  // A statement has 15 s, also on a busy machine.
  for (let first = 1; first <= count; first += 1_000) {
    const numbers = sql`generate_series(${first}::integer, ${Math.min(count, first + 999)}::integer) n`;
    await db.execute(sql`
      insert into ${sessions} (id, project_root, persona, mode, created_at, updated_at)
      select 'sess_' || n, project_root, persona, mode, created_at, updated_at
      from ${sessions}, ${numbers} where id = ${like}`);
    await db.execute(sql`
      insert into ${turns} (id, session_id, status, request, request_hash, options, principal_id, created_at)
      select 'turn_' || n, 'sess_' || n, 'queued', request, request_hash, options,
        'principal ' || n % ${principals}::integer, created_at + n * interval '1 millisecond'
      from ${turns}, ${numbers} where id = ${template}`);
  }
  await db.execute(sql`analyze ${turns}`);
}
