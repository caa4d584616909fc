import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { asc, eq } from 'drizzle-orm';
import type { Principal } from '../../src/access/principal.js';
import type { TurnEvent } from '../../src/events/turn-event.js';
import { dayOf } from '../../src/governance/limits/day-budget.js';
import { turns } from '../../src/storage/schema.js';
import { loadUsage } from '../../src/governance/budgets/usage-days.js';
import { tokensOf } from '../../src/governance/limits/cost.js';
import { HeldTool } from '../support/turn/held-tool.js';
import { openFleet, type Fleet } from '../support/turn/start-fleet.js';
import { readTurn } from '../support/turn/read-turn.js';
import { submit, newSession } from '../support/turn/submit.js';

const REPLY = 200;

describe.each(['embedded', 'distributed'] as const)('budgets of a day, %s', (backEnd) => {
  let fleet: Fleet;
  let look: HeldTool;
  beforeEach(async () => {
    look = new HeldTool('look', { effect: 'read', retry: 'safe' });
    fleet = await openFleet(backEnd, { slots: 4, tools: [look.definition] });
    Object.assign(fleet.test.config, { maxTokens: REPLY });
  });
  afterEach(async () => {
    look.finishAll();
    await fleet.close();
  });

  const alice = (tokensPerDay: number, usdPerDay = 0): Principal => ({
    id: 'alice',
    credential: { kind: 'key', id: 'key_alice' },
    scopes: ['turns'],
    limits: { requestsPerMinute: 0, concurrentTurns: 0, tokensPerDay, usdPerDay },
    approves: [],
    projectRoots: [fleet.test.projectRoot],
  });
  async function ask(message: string, principal: Principal): Promise<string> {
    const sessionId = await newSession(fleet.test, { principalId: principal.id });
    const opts = { tools: ['look'], onDisconnect: 'continue' };
    return (await submit(fleet.test, message, opts, { sessionId, principal })).turnId;
  }
  async function end(turnId: string, see?: () => Promise<void>): Promise<TurnEvent | undefined> {
    const seen = await readTurn(fleet.test.services.follower, turnId, async () => {
      await see?.();
      return false;
    });
    return seen.at(-1);
  }
  async function begun(turnId: string): Promise<void> {
    await readTurn(fleet.test.services.follower, turnId, (seen) =>
      seen.some(({ type }) => type === 'text.delta'),
    );
  }
  /** Waits until a turn has a notice that it waits for its day. */
  async function noticed(turnId: string): Promise<void> {
    const waits = (events: readonly TurnEvent[]): boolean =>
      events.some((event) => event.type === 'notice.posted' && event.kind === 'budget-wait');
    if (waits(await readTurn(fleet.test.services.follower, turnId, waits))) return;
    throw new Error(`${turnId} ended without a wait`);
  }
  const used = () => {
    const { db, clock } = fleet.test.services;
    return loadUsage(db, { principalId: 'alice', day: dayOf(clock.now()) });
  };
  const rows = () => fleet.test.services.db.select().from(turns).orderBy(asc(turns.createdAt));
  const usedByTurns = async (): Promise<number> =>
    (await rows()).reduce((sum, { usage }) => sum + (usage === null ? 0 : tokensOf(usage)), 0);

  /** Measures the tokens of one turn, as a user without a budget. */
  async function measure(): Promise<number> {
    await end(await ask('[[tokens=50]]', { ...alice(0), id: 'bob' }));
    const tokens = await usedByTurns();
    await fleet.test.services.db.delete(turns);
    return tokens;
  }

  it('are not overrun by twenty turns side by side, and settle to what these used', async () => {
    await fleet.start();
    // The budget is less than one of the five long replies, and enough for some of the others.
    const limit = (await measure()) * 2;
    const messages = ['[[tokens=50]]', '[[tokens=20 gap=2]]', '[[fail=400]]', '[[tokens=9000]]'];
    const ids = await Promise.all(
      Array.from({ length: 20 }, (_, i) => ask(messages[i % 4] ?? '', alice(limit))),
    );
    const watch = async (): Promise<void> =>
      expect((await used()).tokens).toBeLessThanOrEqual(limit);
    const ends = await Promise.all(ids.map((id) => end(id, watch)));
    for (const event of ends) expect(event).toMatchObject({ type: 'turn.ended' });
    const found = await rows();
    const limited = found.filter(({ endReason }) => endReason === 'daily_token_budget');
    expect(limited.length).toBeGreaterThan(0);
    expect(limited[0]?.endNote).toContain('It starts again at midnight UTC');
    expect(found.filter(({ status }) => status === 'completed').length).toBeGreaterThan(0);
    const failed = found.filter(({ status }) => status === 'failed');
    for (const { failure } of failed) expect(failure?.errorType).toBe('SDK_FAILURE');
    expect((await used()).tokens).toBe(await usedByTurns());
  });

  it('are enough for turns side by side that they are enough for one after the other', async () => {
    await fleet.start();
    const perTurn = await measure();
    // A call reserves its longest reply: all of the day's headroom.
    Object.assign(fleet.test.config, { maxTokens: 100_000 });
    const limit = perTurn * 10 + REPLY;
    const ids = await Promise.all(
      Array.from({ length: 10 }, () => ask('[[tokens=50]]', alice(limit))),
    );
    const ends = await Promise.all(ids.map((id) => end(id)));
    expect(ends.map((event) => event?.type === 'turn.ended' && event.outcome)).toEqual(
      ids.map(() => 'completed'),
    );
    const found = await rows();
    expect(found.map(({ attempt }) => attempt)).toEqual(ids.map(() => 1));
    expect((await used()).tokens).toBe(await usedByTurns());
    expect((await used()).tokens).toBeLessThanOrEqual(limit);
  });

  it('keep no place of the worker from others while turns wait for them', async () => {
    await fleet.start();
    Object.assign(fleet.test.config, { maxTokens: 1_000_000 });
    const limit = 50_000;
    const holding = await ask('[[tokens=50]] [[stall=600000]]', alice(limit));
    await begun(holding);
    const waiting = await Promise.all(
      Array.from({ length: 6 }, () => ask('[[tokens=50]]', alice(limit))),
    );
    await Promise.all(waiting.map(noticed));
    const bobs = await ask('Hello', { ...alice(0), id: 'bob' });
    expect(await end(bobs)).toMatchObject({ outcome: 'completed' });
    const { services } = fleet.test;
    const [cancelled = '', ...others] = waiting;
    await services.canceller.cancel(cancelled, 'interrupt');
    expect(await end(cancelled)).toMatchObject({ outcome: 'interrupted' });
    await services.canceller.cancel(holding, 'interrupt');
    const ends = await Promise.all(others.map((id) => end(id)));
    expect(ends.map((event) => event?.type === 'turn.ended' && event.outcome)).toEqual(
      others.map(() => 'completed'),
    );
  });

  it('end a turn between its steps, and give a clamped reply what is left', async () => {
    await fleet.start();
    const perTurn = await measure();
    // The tool's result is more than the day has left.
    void look.call(1).then((call) => call.finish('word '.repeat(2_000)));
    const between = await ask('[[tool=look {}]]', alice(perTurn));
    expect(await end(between)).toMatchObject({
      outcome: 'limited',
      reason: 'daily_token_budget',
      text: expect.stringContaining("[Stopped: what is left of today's budget"),
    });
    expect((await rows())[0]).toMatchObject({ status: 'limited', exitCode: 0 });
    expect((await used()).tokens).toBe(await usedByTurns());
  });

  it('settle what was cut: by an interrupt, and by a worker that stops', async () => {
    await fleet.start();
    const stalling = '[[tokens=50]] [[stall=600000]]';
    const interrupted = await ask(stalling, alice(1_000_000, 10));
    // The provider reports a call's input before its first word: the second call reads what the first has cached.
    await begun(interrupted);
    const handedBack = await ask(stalling, alice(1_000_000, 10));
    await begun(handedBack);
    const { services } = fleet.test;
    const reserved = await used();
    expect(reserved.tokens).toBeGreaterThanOrEqual(2 * REPLY);
    await services.canceller.cancel(interrupted, 'interrupt');
    expect(await end(interrupted)).toMatchObject({ outcome: 'interrupted' });
    const [row] = await services.db.select().from(turns).where(eq(turns.id, interrupted));
    const charged = row?.usage ? tokensOf(row.usage) : 0;
    await Promise.all(fleet.workers.map((worker) => worker.stop()));
    // The provider reported the input alone of the other call.
    const left = await used();
    expect(left.tokens).toBeLessThan(2 * charged + REPLY);
    expect(left.microUsd).toBeLessThan(reserved.microUsd);
    expect(handedBack).not.toBe(interrupted);
  });

  it('cost a turn without limits nothing, and store none', async () => {
    await fleet.start();
    await end(await ask('Hello', { ...alice(0), id: 'alice' }));
    expect((await rows())[0]?.budget).toBeNull();
    expect(await used()).toEqual({ tokens: 0, microUsd: 0 });
  });

  it('in dollars end turns too, by the price of their model', async () => {
    await fleet.start();
    const principal = alice(0, 0.02);
    const messages = Array.from({ length: 12 }, () => '[[tokens=90]]');
    const ids = await Promise.all(messages.map((message) => ask(message, principal)));
    await Promise.all(ids.map((id) => end(id)));
    expect((await used()).microUsd).toBeLessThanOrEqual(20_000);
    expect((await rows()).map(({ endReason }) => endReason)).toContain('daily_cost_budget');
  });
});
