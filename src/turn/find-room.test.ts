import { describe, expect, it } from '@jest/globals';
import { defaultAgentConfig } from '../governance/agent-config.js';
import { findRoom } from './find-room.js';

const state = { config: { ...defaultAgentConfig, tokenBudget: 10_000 }, tokensUsed: 4_000 };
const price = { input: 125, output: 1_000 };

describe('findRoom', () => {
  it.each([
    ['without a limit of cost', undefined, 0, { tokens: 6_000, budget: 'token_budget' }],
    ['with one that allows more', 100, 0, { tokens: 6_000, budget: 'token_budget' }],
    // 0.625 dollars: 0.125 for 800 of input, written to the cache, leave 500 of output.
    ['with one that allows less', 1, 0.375, { tokens: 1_300, budget: 'cost_budget' }],
    // The input alone costs more than is left.
    ['with one that is used up', 1, 1, { tokens: 675, budget: 'cost_budget' }],
  ])('is what the tightest budget leaves: %s', (_name, usd, usedUsd, room) => {
    const costLimit = usd === undefined ? undefined : { usd, price };
    const cost = usd === undefined ? undefined : { usedUsd, limitUsd: usd };
    expect(findRoom({ ...state, cost }, 800, costLimit)).toEqual(room);
  });
});
