import { describe, expect, it } from '@jest/globals';
import { compact } from './compact.js';

describe('compact', () => {
  it('leaves out what is undefined, and nothing else', () => {
    const given: { a?: number | undefined; b: null; c: number } = { a: undefined, b: null, c: 0 };
    const kept: { a?: number; b: null; c: number } = compact(given);
    expect(Object.entries(kept)).toEqual([
      ['b', null],
      ['c', 0],
    ]);
  });
});
