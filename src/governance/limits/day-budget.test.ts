import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import {
  amountOf,
  dayCeiling,
  dayEnd,
  dayOf,
  fitDay,
  fitReply,
  microUsdOf,
  dayEndNote,
  dayLimitReached,
} from './day-budget.js';

const price = { input: 3, output: 15 };
const plenty = { tokens: Infinity, microUsd: Infinity };

describe('a day', () => {
  it.each([
    ['2026-01-01T00:00:00.000Z', '2026-01-01', '2026-01-02T00:00:00.000Z'],
    ['2026-01-01T23:59:59.999Z', '2026-01-01', '2026-01-02T00:00:00.000Z'],
    ['2026-12-31T12:00:00.000Z', '2026-12-31', '2027-01-01T00:00:00.000Z'],
    ['2028-02-28T23:00:00.000Z', '2028-02-28', '2028-02-29T00:00:00.000Z'],
  ])('of %s is %s until %s', (at, day, end) => {
    const now = Date.parse(at);
    expect(dayOf(now)).toBe(day);
    expect(new Date(dayEnd(now)).toISOString()).toBe(end);
  });
});

describe('the limits of a day', () => {
  it.each([
    [
      { tokensPerDay: 5, usdPerDay: 0 },
      { tokens: 5, microUsd: Infinity },
    ],
    [
      { tokensPerDay: 0, usdPerDay: 0.1 },
      { tokens: Infinity, microUsd: 100_000 },
    ],
  ])('of %j are at most %j', (limits, ceiling) => {
    expect(dayCeiling(limits)).toEqual(ceiling);
  });
});

describe('microUsdOf', () => {
  const usage = { inputTokens: 1, cacheReadTokens: 0, cacheWriteTokens: 0, outputTokens: 1 };

  it.each([
    [{ input: 3, output: 15 }, 18],
    [{ input: 0.1, output: 0.2 }, 1],
    [{ input: 0.1, output: 1 }, 2],
    [undefined, 0],
  ])('of a token each way at %j is %i, rounded up', (of, expected) => {
    expect(microUsdOf(usage, of)).toBe(expected);
  });
});

describe('fitReply', () => {
  it.each([
    ['all of it', plenty, { reply: 50 }],
    ['what tokens are left', { tokens: 130 }, { reply: 30, budget: 'daily_token_budget' }],
    ['nothing', { tokens: 90 }, { reply: -10, budget: 'daily_token_budget' }],
    // 375 for the input, 15 for each token of the reply.
    ['what it can pay', { microUsd: 534 }, { reply: 10, budget: 'daily_cost_budget' }],
    ['no input', { microUsd: 374 }, { reply: 0, budget: 'daily_cost_budget' }],
  ])('has headroom for %s', (_what, left, expected) => {
    const call = { input: 100, cached: 0, reply: 50 };
    expect(fitReply({ ...plenty, ...left }, call, price)).toMatchObject(expected);
  });

  it('knows that the cache is cheap, not free', () => {
    const call = { input: 0, cached: 100, reply: 50 };
    expect(fitReply({ ...plenty, microUsd: 60 }, call, price).reply).toBe(2);
  });

  it('looks at the price only where there is one', () => {
    const call = { input: 100, cached: 0, reply: 50 };
    expect(fitReply({ tokens: Infinity, microUsd: 0 }, call, undefined).reply).toBe(50);
  });

  it('never goes over what is left, and could not give a token more', () => {
    const tokens = fc.nat({ max: 100_000 });
    const rate = fc.double({ min: 0.01, max: 100, noNaN: true });
    fc.assert(
      fc.property(
        fc.record({ input: tokens, cached: tokens, reply: fc.integer({ min: 1, max: 100_000 }) }),
        fc.record({ tokens: fc.nat({ max: 300_000 }), microUsd: fc.nat({ max: 3_000_000 }) }),
        fc.record({ input: rate, output: rate }),
        (call, left, of) => {
          const { reply } = fitReply(left, call, of);
          const fits = (tried: number): boolean => {
            const { tokens: used, microUsd } = amountOf({ ...call, reply: tried }, of);
            return used <= left.tokens && microUsd <= left.microUsd;
          };
          if (reply > 0) expect(fits(reply)).toBe(true);
          // Rounding up on the way may cost two tokens of headroom.
          if (reply < call.reply)
            expect(fits(Math.max(1, reply + 1 + Math.ceil(2 / of.output)))).toBe(false);
        },
      ),
    );
  });
});

describe('fitDay', () => {
  const call = { size: { input: 100, cached: 0, reply: 10_000 }, price, minReply: 16 };
  const day = (usedTokens: number, reservedTokens: number, ceiling = 20_000) => ({
    ceiling: { tokens: ceiling, microUsd: Infinity },
    used: { tokens: usedTokens, microUsd: 0 },
    reserved: { tokens: reservedTokens, microUsd: 0 },
  });

  it.each([
    ['nothing is reserved, however little is left', day(19_990, 0), false],
    ['what is reserved would not do either', day(19_990, 90), false],
    ['a reply is there already', day(9_000, 9_000), false],
    ['a short reply would hardly be longer', day(19_000, 500), false],
    ['no reply is there, and would be', day(19_990, 5_000), true],
    ['a short reply would be twice as long', day(19_000, 1_000), true],
    ['a reply that is long enough would be twice as long', day(15_000, 15_000), false],
  ])('%s: a wait for %j is worth it: %s', (_name, found, expected) => {
    expect(fitDay(found, call).isWorthWaiting).toBe(expected);
  });

  it('looks at dollars in the same way', () => {
    const paid = {
      ceiling: { tokens: Infinity, microUsd: 100_000 },
      used: { tokens: 0, microUsd: 99_999 },
      reserved: { tokens: 0, microUsd: 90_000 },
    };
    expect(fitDay(paid, call)).toMatchObject({ budget: 'daily_cost_budget', isWorthWaiting: true });
    const spent = { ...paid, reserved: { tokens: 0, microUsd: 0 } };
    expect(fitDay(spent, call)).toMatchObject({
      budget: 'daily_cost_budget',
      isWorthWaiting: false,
    });
  });
});

const shortage = {
  limits: { tokensPerDay: 50_000, usdPerDay: 2 },
  used: { tokens: 49_990, microUsd: 1_987_654 },
  resetsAt: Date.parse('2026-01-02T00:00:00Z'),
};
const again = 'It starts again at midnight UTC (2026-01-02T00:00:00Z).';

describe.each([
  [
    'daily_token_budget' as const,
    'Daily token budget reached (49,990/50,000 tokens, with what other turns have reserved).',
    { current_value: 49_990, limit_value: 50_000, percent: 100, limit_type: 'daily_token' },
    "what is left of today's budget of 50,000 tokens is not enough for another reply.",
  ],
  [
    'daily_cost_budget' as const,
    'Daily cost limit reached ($1.9877/$2, with what other turns have reserved).',
    { current_value: 1.9877, limit_value: 2, percent: 100, limit_type: 'daily_cost' },
    "what is left of today's limit of $2 is not enough for another reply.",
  ],
])('%s', (budget, notice, metadata, why) => {
  it('is a notice to the client, with the time of the reset', () => {
    expect(dayLimitReached({ ...shortage, budget })).toEqual({
      kind: 'limit-reached',
      text: `${notice} ${again} Saving partial response.`,
      metadata: { ...metadata, resets_at: '2026-01-02T00:00:00Z' },
    });
  });

  it('closes the reply', () => {
    expect(dayEndNote({ ...shortage, budget }, true)).toBe(
      `[Stopped: ${why} ${again} What was found so far is above.]`,
    );
    expect(dayEndNote({ ...shortage, budget }, false)).toContain('There is no answer yet.');
  });
});

describe('the amount of a call', () => {
  it('has the price of an hour in the cache where the call asks for one', () => {
    const price = { input: 10, output: 0, cacheWrite5m: 12, cacheWrite1h: 20 };
    const call = { input: 1_000, cached: 0, reply: 1 };
    expect(amountOf(call, price).microUsd).toBe(12_000);
    expect(amountOf({ ...call, isForHour: true }, price).microUsd).toBe(20_000);
  });
});
