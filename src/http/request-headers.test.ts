import { describe, expect, it } from '@jest/globals';
import { parseCursorParameter, parseIdempotencyKey } from './request-headers.js';

describe('parseIdempotencyKey', () => {
  it.each([undefined, 'k', 'k'.repeat(255)])('takes %j', (key) => {
    expect(parseIdempotencyKey(key)).toBe(key);
  });

  it.each(['', 'k'.repeat(256)])('refuses %j', (key) => {
    expect(() => parseIdempotencyKey(key)).toThrow(/1 to 255 characters/);
  });
});

describe('parseCursorParameter', () => {
  it.each([
    [undefined, undefined],
    ['', undefined],
    ['1.2', '1.2'],
  ])('of %j is %j', (given, expected) => {
    expect(parseCursorParameter(given)).toBe(expected);
  });

  it.each([[['1.2', '1.3']], [{ a: '1' }]])('refuses %j', (given) => {
    expect(() => parseCursorParameter(given)).toThrow(/given once/);
  });
});
