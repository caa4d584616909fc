import { describe, expect, it } from '@jest/globals';
import type { Usage } from '../storage/shapes/stored-step.js';
import { addUsage, noUsage } from './turn-event.js';

const usage: Usage = { inputTokens: 1, outputTokens: 2, cacheReadTokens: 3, cacheWriteTokens: 4 };

describe('addUsage', () => {
  it('adds what both say, and leaves unsaid what neither does', () => {
    expect(addUsage(usage, usage)).toEqual({
      inputTokens: 2,
      outputTokens: 4,
      cacheReadTokens: 6,
      cacheWriteTokens: 8,
    });
  });

  it('takes what one alone says as it is', () => {
    const reported = { ...usage, addedTokens: 5, costUsd: 0.25, thinkingTokens: 1 };
    const sum = addUsage(addUsage(noUsage, reported), usage);
    expect(sum).toMatchObject({ addedTokens: 5, costUsd: 0.25, thinkingTokens: 1 });
    expect(sum).not.toHaveProperty('cacheWrite1hTokens');
    expect(addUsage(sum, reported)).toMatchObject({ addedTokens: 10, costUsd: 0.5 });
  });
});
