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
});

describe('affordableReply', () => {
  it('leaves no room for a call that costs more than is left', () => {
    const tokens = fc.nat(200_000);
    fc.assert(
      fc.property(fc.double({ min: 0, max: 5, noNaN: true }), tokens, (left, input) => {
        const reply = affordableReply(left, input, price);
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

  it('is not bounded where a reply is free', () => {
    expect(affordableReply(1, 10, { input: 1, output: 0 })).toBe(Infinity);
  });
});
