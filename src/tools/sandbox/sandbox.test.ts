import { describe, expect, it } from '@jest/globals';
import { findWeaknesses } from './sandbox.js';

const whole = { limited: ['memory', 'pids', 'cpu'], isFiltered: true, isRoot: true } as const;

describe('findWeaknesses', () => {
  it('has none where all is limited and filtered', () => {
    expect(findWeaknesses(whole)).toEqual([]);
    expect(findWeaknesses({ ...whole, isRoot: false, limited: ['memory', 'cpu'] })).toEqual([]);
  });

  it.each([
    [{ limited: ['pids', 'cpu'] }, /^memory is limited for each process/],
    [{ limited: ['pids', 'memory'] }, /^processors are not limited/],
    [{ limited: ['memory', 'cpu'] }, /^the server runs as root, whose processes/],
    [{ isFiltered: false, isRoot: false }, /^system calls are not filtered/],
  ] as const)('says what is missing: %j', (missing, weakness) => {
    expect(findWeaknesses({ ...whole, ...missing })).toEqual([expect.stringMatching(weakness)]);
  });

  it('warns of set-user-id files as root where nothing keeps them out', () => {
    expect(findWeaknesses({ ...whole, isFiltered: false })).toContainEqual(
      expect.stringContaining('set-user-id'),
    );
  });
});
