import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { asc, eq } from 'drizzle-orm';
import { turns } from '../../src/storage/schema.js';
import type { TurnRow } from '../../src/turn/state/turn-row.js';
import { expectSoon } from '../support/expect-soon.js';
import { openFleet, type Fleet } from '../support/turn/start-fleet.js';
import { readTurn } from '../support/turn/read-turn.js';
import { submit, newSession } from '../support/turn/submit.js';

/** Slots of all workers: of one worker, or two on each of two. */
const SLOTS = 4;

describe.each(['embedded', 'distributed'] as const)('a queue that is shared, %s', (backEnd) => {
  let fleet: Fleet;
  beforeEach(async () => {
    fleet = await openFleet(backEnd, { slots: SLOTS });
  });
  afterEach(() => fleet.close());

  /** @param gap milliseconds between the four words of the turn. */
  async function ask(principalId: string, gap: number, more: object = {}): Promise<string> {
    const sessionId = await newSession(fleet.test, { principalId });
    const opts = { tools: [], onDisconnect: 'continue', ...more };
    return (await submit(fleet.test, `[[tokens=4 gap=${gap}]]`, opts, { sessionId })).turnId;
  }
  async function end(turnId: string): Promise<void> {
    await readTurn(fleet.test.services.follower, turnId);
  }
  const rowsOf = (principalId: string): Promise<TurnRow[]> =>
    fleet.test.services.db
      .select()
      .from(turns)
      .where(eq(turns.principalId, principalId))
      .orderBy(asc(turns.createdAt));
  const allOf = (ids: readonly string[]) => Promise.all(ids.map((id) => end(id)));

  it('lets nobody wait for more than the turns that run', async () => {
    // Each lasts longer than a turn takes to be stored, and all of them far longer than those of the other.
    for (let i = 0; i < 48; i += 1) await ask('greedy', 600);
    await fleet.start();
    for (let i = 0; i < 6; i += 1) await end(await ask('modest', 20));
    const [greedy, modest] = [await rowsOf('greedy'), await rowsOf('modest')];
    // Some wait to the end: each turn of the other had somebody to pass.
    expect(greedy.filter(({ status }) => status === 'queued')).not.toEqual([]);
    for (const { createdAt, startedAt } of modest) {
      const from = createdAt.getTime();
      const to = startedAt?.getTime() ?? Infinity;
      const passed = greedy.filter((other) => {
        const at = other.startedAt?.getTime() ?? 0;
        return at > from && at < to;
      });
      expect(passed.length).toBeLessThanOrEqual(SLOTS);
    }
    expect(fleet.test.workerErrors).toEqual([]);
  });

  it('runs turns of one principal in their order, and the background when nothing else waits', async () => {
    const quiet = await ask('one', 100, { priority: 'background' });
    const others: string[] = [];
    for (let i = 0; i < 20; i += 1) others.push(await ask('one', 100));
    await fleet.start();
    await allOf([quiet, ...others]);
    const rows = await rowsOf('one');
    const started = rows
      .filter(({ id }) => id !== quiet)
      .map(({ startedAt }) => startedAt?.getTime() ?? 0);
    // Turns in neighbouring slots may have begun in either order.
    for (const [index, at] of started.entries()) {
      const muchLater = started[index + SLOTS];
      if (muchLater !== undefined) expect(muchLater).toBeGreaterThanOrEqual(at);
    }
    const background = rows.find(({ id }) => id === quiet)?.startedAt?.getTime() ?? 0;
    expect(started.filter((at) => at > background).length).toBeLessThan(SLOTS);
  });

  it('runs every turn, whatever token it is claimed for', async () => {
    const principals = ['a', 'b', 'c', 'd', 'e'];
    const ids: string[] = [];
    for (let i = 0; i < 30; i += 1) {
      ids.push(await ask(principals[i % 7 === 0 ? i % 5 : 0] ?? 'a', 20));
    }
    await fleet.start();
    // No sweeper runs here.
    await allOf(ids);
    const { queue } = fleet.test.services;
    await expectSoon(async () => expect(await queue.depth()).toBe(0));
  });
});
