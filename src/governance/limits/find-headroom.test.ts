import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { defaultAgentConfig } from '../decision-tree/agent-config.js';
import {
  findPaidHeadroom,
  findHeadroom,
  lastReplyTokens,
  minReplyTokens,
} from './find-headroom.js';

const config = { ...defaultAgentConfig, tokenBudget: 10_000 };
const state = { config, tokensUsed: 4_000, session: undefined, cost: undefined };
const price = { input: 125, output: 1_000 };
const call = { added: 1_000, input: 800, cached: 0 };

describe('findRoom', () => {
  it.each([
    ['without a limit of cost', undefined, 0, { reply: 5_000, budget: 'token_budget' }],
    ['with one that allows more', 100, 0, { reply: 5_000, budget: 'token_budget' }],
    // 0.625 dollars: 0.125 for 800 of input, written to the cache, leave 500 of output.
    ['with one that allows less', 1, 0.375, { reply: 500, budget: 'cost_budget' }],
    // The input alone costs more than is left.
    ['with one that is used up', 1, 1, { reply: -125, budget: 'cost_budget' }],
  ])('is what the tightest budget leaves: %s', (_name, usd, usedUsd, headroom) => {
    const costLimit = usd === undefined ? undefined : { usd, price };
    const cost = usd === undefined ? undefined : { usedUsd, limitUsd: usd };
    expect(findHeadroom({ ...state, cost }, call, { costLimit, kept: 0 })).toEqual(headroom);
  });

  it('counts of the turn’s own budget what is added, however much is sent again', () => {
    const again = { ...call, input: 900_000, cached: 50_000 };
    expect(findHeadroom(state, again, { costLimit: undefined, kept: 500 })).toEqual({
      reply: 4_500,
      budget: 'token_budget',
    });
  });

  it('counts of the session’s what is paid for', () => {
    const session = { usedTokens: 9_000, limitTokens: 10_000 };
    const found = findHeadroom({ ...state, session }, call, { costLimit: undefined, kept: 0 });
    expect(found).toEqual({ reply: 200, budget: 'token_budget' });
    expect(findPaidHeadroom({ session: undefined, cost: undefined }, call, undefined).reply).toBe(
      Infinity,
    );
  });

  it('never lets a budget be overrun by a model that uses all it is given', () => {
    const step = fc.record({
      added: fc.nat(3_000),
      share: fc.double({ min: 0, max: 1, noNaN: true }),
    });
    fc.assert(
      fc.property(
        fc.integer({ min: 1_000, max: 200_000 }),
        fc.array(step, { minLength: 1, maxLength: 60 }),
        (tokenBudget, steps) => {
          let tokensUsed = 0;
          for (const { added, share } of steps) {
            const now = { ...state, config: { ...config, tokenBudget }, tokensUsed };
            const headroom = findHeadroom(
              now,
              { added, input: 0, cached: 0 },
              { costLimit: undefined, kept: 0 },
            );
            const reply = Math.min(8_000, headroom.reply);
            if (reply < minReplyTokens(8_000)) break;
            tokensUsed += added + Math.floor(reply * share);
            expect(tokensUsed).toBeLessThanOrEqual(tokenBudget);
          }
        },
      ),
    );
  });
});

describe('lastReplyTokens', () => {
  it.each([
    [1_000, 100],
    [10_000, 500],
    [50_000, 2_000],
    [Infinity, 2_000],
  ])('of a budget of %s are %i', (tokenBudget, tokens) => {
    expect(lastReplyTokens({ config: { ...config, tokenBudget } })).toBe(tokens);
  });
});

describe('minReplyTokens', () => {
  it.each([
    [4_096, 16],
    [3, 3],
  ])('of %i is %i', (most, least) => {
    expect(minReplyTokens(most)).toBe(least);
  });
});
