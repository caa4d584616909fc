import { describe, expect, it } from '@jest/globals';
import { isWithin } from './is-within.js';

describe('isWithin', () => {
  it.each([
    ['/a', '/a', true],
    ['/a', '/a/b/c', true],
    ['/', '/a', true],
    ['/a', '/a/..b', true],
    ['/a', '/ab', false],
    ['/a/b', '/a', false],
    ['/a', '/a/../b', false],
  ])('in %s, %s: %s', (folder, target, expected) => {
    expect(isWithin(folder, target)).toBe(expected);
  });
});
