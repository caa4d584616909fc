import { describe, expect, it } from '@jest/globals';
import { latestAnswers } from './match-answers.js';

const at = (id: string, ms: number | null) => ({
  id,
  decidedAt: ms === null ? null : new Date(ms),
});

describe('latestAnswers', () => {
  it.each([
    [[], []],
    [
      [at('a', null), at('b', null)],
      ['a', 'b'],
    ],
    [[at('a', 1), at('b', null)], ['b']],
    [
      [at('a', 1), at('b', 2), at('c', 2)],
      ['b', 'c'],
    ],
  ])('of %j is %j', (approvals, ids) => {
    expect(latestAnswers(approvals)).toEqual(ids);
  });
});
