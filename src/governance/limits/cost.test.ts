import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { affordableReply, costOf } from './cost.js';

const price = { input: 3, output: 15 };

describe('costOf', () => {
  it.each([
    [{ inputTokens: 1_000_000, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 }, 3],
    [{ inputTokens: 0, outputTokens: 1_000_000, cacheReadTokens: 0, cacheWriteTokens: 0 }, 15],
    [{ inputTokens: 0, outputTokens: 0, cacheReadTokens: 1_000_000, cacheWriteTokens: 0 }, 0.3],
    [{ inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 1_000_000 }, 3.75],
  ])('%j is %s dollars', (usage, usd) => {
    expect(costOf(usage, price)).toBeCloseTo(usd, 9);
  });

  const own = { ...price, cacheWrite5m: 4, cacheWrite1h: 7, cacheRead: 0.2 };
  const none = { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 };

  it.each([
    ['five minutes by default', { cacheWriteTokens: 1_000_000 }, 4],
    ['an hour', { cacheWriteTokens: 1_000_000, cacheWrite1hTokens: 1_000_000 }, 7],
    ['both', { cacheWriteTokens: 1_000_000, cacheWrite1hTokens: 500_000 }, 5.5],
    ['reading', { cacheReadTokens: 1_000_000 }, 0.2],
  ])('takes the price of the cache for %s', (_name, usage, usd) => {
    expect(costOf({ ...none, ...usage }, own)).toBeCloseTo(usd, 9);
  });

  it('takes twice the input for an hour where the price does not say', () => {
    const usage = { ...none, cacheWriteTokens: 1_000_000, cacheWrite1hTokens: 1_000_000 };
    expect(costOf(usage, price)).toBeCloseTo(6, 9);
  });

  it.each([
    [100_000, 0.1],
    [100_001, 0.5],
  ])('of a prompt of %i tokens takes the whole call from its band', (tokens, input) => {
    const banded = {
      input: 0.1,
      output: 0.5,
      longPrompt: { above: 100_000, input: 0.5, output: 2.5 },
    };
    const usage = { ...none, cacheReadTokens: tokens - 10, inputTokens: 10, outputTokens: 100 };
    const usd = ((tokens - 10) * input * 0.1 + 10 * input + 100 * input * 5) / 1e6;
    expect(costOf(usage, banded)).toBeCloseTo(usd, 12);
  });

  it('has the fees of searches, by the price of the model or by the public one', () => {
    const none = { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 };
    const usage = { ...none, webSearches: 3 };
    expect(costOf(usage, price)).toBeCloseTo(0.03, 9);
    expect(costOf(usage, { ...price, webSearches: 20 })).toBeCloseTo(0.06, 9);
  });
});

describe('affordableReply', () => {
  it('leaves no headroom for a call that costs more than is left', () => {
    const tokens = fc.nat(200_000);
    fc.assert(
      fc.property(fc.double({ min: 0, max: 5, noNaN: true }), tokens, (left, input) => {
        const reply = affordableReply(left, { input, cached: 0 }, price);
        const usage = {
          inputTokens: input,
          outputTokens: Math.max(0, reply),
          cacheReadTokens: 0,
          cacheWriteTokens: 0,
        };
        if (reply >= 0) expect(costOf(usage, price)).toBeLessThanOrEqual(left + 1e-9);
      }),
    );
  });

  it('pays for what the cache gives back, and for the band of the whole prompt', () => {
    const banded = { ...price, longPrompt: { above: 150, input: 6, output: 30 } };
    expect(affordableReply(0.001, { input: 100, cached: 50 }, banded)).toBe(40);
    expect(affordableReply(0.001, { input: 100, cached: 100 }, banded)).toBe(6);
  });

  it('pays for an hour in the cache where the call asks for one', () => {
    const hourly = { input: 10, output: 10, cacheWrite5m: 12, cacheWrite1h: 20 };
    const call = { input: 100, cached: 0 };
    expect(affordableReply(0.01, call, hourly)).toBe(880);
    expect(affordableReply(0.01, { ...call, isForHour: true }, hourly)).toBe(800);
  });

  it('is not bounded where a reply is free', () => {
    expect(affordableReply(1, { input: 10, cached: 0 }, { input: 1, output: 0 })).toBe(Infinity);
  });
});
