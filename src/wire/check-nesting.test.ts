import { describe, expect, it } from '@jest/globals';
import { isDeeperThan } from './check-nesting.js';

const lists = (levels: number): unknown => JSON.parse('['.repeat(levels) + ']'.repeat(levels));

describe('isDeeperThan', () => {
  it.each<[number, unknown, boolean]>([
    [0, undefined, false],
    [0, null, false],
    [0, 'text', false],
    [0, {}, true],
    [1, {}, false],
    [1, { a: 1, b: 'x', c: null }, false],
    [1, { a: 1, b: {} }, true],
    [2, [{ a: [] }], true],
    [3, [{ a: [] }], false],
    [100, lists(100), false],
    [100, lists(101), true],
    [100, { shallow: 1, deep: lists(200_000) }, true],
  ])('of %i levels', (levels, value, expected) => {
    expect(isDeeperThan(levels, value)).toBe(expected);
  });
});
