import { beforeEach, describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { ManualClock } from '../../../test/support/manual-clock.js';
import { openServerDatabase } from '../../../test/support/database/both-databases.js';
import { noUsage } from '../../events/turn-event.js';
import type { OpenedDatabase } from '../../storage/connection.js';
import { usageDays } from '../../storage/governance-schema.js';
import { checkBudget, reserveCall, type CallToReserve, type Reserved } from './reserve-call.js';
import { loadUsage, settle } from './usage-days.js';
import { useDatabase } from '../../../test/support/database/database.js';

const price = { input: 3, output: 15 };
const day = '2026-01-01';

describe('a principal’s day', () => {
  const database = useDatabase(openServerDatabase);

  let clock: ManualClock;
  beforeEach(async () => {
    clock = new ManualClock();
    await database.db.delete(usageDays);
  });

  const { signal } = new AbortController();
  const reserve = (more: Partial<CallToReserve> = {}, db = database.db): Promise<Reserved> =>
    reserveCall(
      { db, clock, signal },
      {
        principalId: 'alice',
        limits: { tokensPerDay: 1_000, usdPerDay: 0 },
        size: { input: 100, cached: 0, reply: 300 },
        minReply: 16,
        price,
        ...more,
      },
    );
  const used = () => loadUsage(database.db, { principalId: 'alice', day });
  const replyOf = (reserved: Reserved): number | undefined =>
    reserved.type === 'reserved' ? reserved.reply : undefined;

  it('has headroom for whole calls, then for a shorter one, then for none', async () => {
    const calls = [await reserve(), await reserve(), await reserve(), await reserve()];
    expect(calls.map(replyOf)).toEqual([300, 300, 100, undefined]);
    expect(calls.map(({ shortage }) => shortage?.budget)).toEqual([
      undefined,
      undefined,
      'daily_token_budget',
      'daily_token_budget',
    ]);
    expect(await used()).toEqual({ tokens: 1_000, microUsd: 3 * 375 + 700 * 15 });
  });

  it('counts dollars by the price of the model', async () => {
    const limits = { tokensPerDay: 0, usdPerDay: 0.01 };
    const calls = [await reserve({ limits }), await reserve({ limits }), await reserve({ limits })];
    // 375 for the input of each, 15 for a token of a reply.
    expect(calls.map(replyOf)).toEqual([300, 300, undefined]);
    expect(calls.at(-1)?.shortage).toMatchObject({ budget: 'daily_cost_budget' });
    expect((await used()).microUsd).toBeLessThanOrEqual(10_000);
  });

  it('is its own, and begins anew at midnight UTC', async () => {
    const all = { size: { input: 0, cached: 0, reply: 1_000 } };
    expect(replyOf(await reserve(all))).toBe(1_000);
    expect(replyOf(await reserve({ ...all, principalId: 'bob' }))).toBe(1_000);
    const refused = await reserve(all);
    expect(refused.shortage?.resetsAt).toBe(Date.parse('2026-01-02T00:00:00Z'));
    await clock.advance(86_400_000);
    expect(replyOf(await reserve(all))).toBe(1_000);
  });

  it('has headroom again for what a call did not use', async () => {
    const first = await reserve({ size: { input: 500, cached: 0, reply: 500 } });
    if (first.type !== 'reserved') throw new Error('not reserved');
    const usage = { ...noUsage, inputTokens: 400, outputTokens: 10, cacheReadTokens: 999 };
    await settle(database.db, first.reservation, usage);
    expect(await used()).toEqual({ tokens: 410, microUsd: 1_650 });
    expect(replyOf(await reserve())).toBe(300);
  });

  it('takes calls of several principals that come together in as many statements as one has', async () => {
    const counted = countStatements(database.db);
    const principals = Array.from({ length: 20 }, (_, i) => ['alice', `other-${i}`]).flat();
    const calls = await Promise.all(
      principals.map((principalId) =>
        reserve({ principalId, size: { input: 0, cached: 0, reply: 50 } }, counted.db),
      ),
    );
    expect(calls.map(replyOf)).toEqual(principals.map(() => 50));
    expect([await used(), counted.count()]).toEqual([{ tokens: 1_000, microUsd: 15_000 }, 1]);
  });

  it('takes each that fits where together they do not', async () => {
    const sizes = [600, 300, 600, 100].map((reply) => ({ input: 0, cached: 0, reply }));
    const calls = await Promise.all(sizes.map((size) => reserve({ size, minReply: 600 })));
    const replies = calls.map(replyOf).filter((reply) => reply !== undefined);
    expect(replies.reduce((sum, reply) => sum + reply, 0)).toBe(1_000);
  });

  it('is never overrun by calls that are reserved side by side', async () => {
    const anyCall = fc.record({
      input: fc.integer({ min: 0, max: 200 }),
      cached: fc.integer({ min: 0, max: 200 }),
      reply: fc.integer({ min: 16, max: 400 }),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(anyCall, { minLength: 2, maxLength: 12 }), async (sizes) => {
        await database.db.delete(usageDays);
        const limits = { tokensPerDay: 1_000, usdPerDay: 0.009 };
        const calls = await Promise.all(sizes.map((size) => reserve({ limits, size })));
        const sum = calls.reduce(
          (total, call) => ({
            tokens: total.tokens + (call.type === 'reserved' ? call.reservation.amount.tokens : 0),
            microUsd:
              total.microUsd + (call.type === 'reserved' ? call.reservation.amount.microUsd : 0),
          }),
          { tokens: 0, microUsd: 0 },
        );
        expect(await used()).toEqual(sum);
        expect(sum.tokens).toBeLessThanOrEqual(1_000);
        expect(sum.microUsd).toBeLessThanOrEqual(9_000);
        for (const { shortage } of calls) {
          if (shortage !== undefined) expect(shortage.budget).toMatch(/^daily_/);
        }
      }),
      { numRuns: 30 },
    );
  });

  it('is asked again when the database was away, until nobody waits any more', async () => {
    const gone = new AbortController();
    let tries = 0;
    const db = {
      execute: () => {
        tries += 1;
        if (tries === 3) gone.abort(new Error('the lease is lost'));
        return Promise.reject(Object.assign(new Error('refused'), { code: 'ECONNREFUSED' }));
      },
    } as unknown as typeof database.db;
    const deps = { db, clock, signal: gone.signal };
    const size = { input: 1, cached: 0, reply: 20 };
    const limits = { tokensPerDay: 100, usdPerDay: 0 };
    const call = { principalId: 'alice', limits, size, minReply: 16, price: undefined };
    const reserving = expect(reserveCall(deps, call)).rejects.toThrow('the lease is lost');
    while (!gone.signal.aborted) await clock.advance(250);
    await reserving;
    expect(tries).toBe(3);
  });

  it('refuses turns when nothing is left, until it begins anew', async () => {
    const limits = { tokensPerDay: 1_000, usdPerDay: 0 };
    const check = () => checkBudget({ db: database.db, clock }, 'alice', limits);
    await expect(check()).resolves.toBeUndefined();
    const last = await reserve({ size: { input: 999, cached: 0, reply: 1 }, minReply: 1 });
    if (last.type !== 'reserved') throw new Error('not reserved');
    // Tokens that the call does not use are given back.
    await expect(check()).resolves.toBeUndefined();
    await settle(database.db, last.reservation, { ...noUsage, inputTokens: 999, outputTokens: 1 });
    await clock.advance(3_600_000);
    await expect(check()).rejects.toMatchObject({
      type: 'BUDGET_EXHAUSTED',
      status: 429,
      headers: { 'Retry-After': String(23 * 3_600) },
      details: { budget: 'daily_token_budget', used: 1_000, limit: 1_000 },
      message: expect.stringContaining('It starts again at midnight UTC (2026-01-02T00:00:00Z).'),
    });
    await clock.advance(23 * 3_600_000);
    await expect(check()).resolves.toBeUndefined();
  });
});

/** The database, with the number of its raw statements. */
function countStatements(db: OpenedDatabase['db']): {
  db: OpenedDatabase['db'];
  count(): number;
} {
  let statements = 0;
  const counted = new Proxy(db, {
    get: (target, name) => {
      if (name === 'execute') statements += 1;
      return Reflect.get(target, name, target) as unknown;
    },
  });
  return { db: counted, count: () => statements };
}
