import { describe, expect, it } from '@jest/globals';
import { readCursor, readKey } from './chat-headers.js';

describe('readKey', () => {
  it.each([undefined, 'k', 'k'.repeat(255)])('takes %j', (key) => {
    expect(readKey(key)).toBe(key);
  });

  it.each(['', 'k'.repeat(256)])('refuses %j', (key) => {
    expect(() => readKey(key)).toThrow(/1 to 255 characters/);
  });
});

describe('readCursor', () => {
  it.each([
    [undefined, undefined],
    ['', undefined],
    ['1.2', '1.2'],
  ])('of %j is %j', (given, expected) => {
    expect(readCursor(given)).toBe(expected);
  });

  it.each([[['1.2', '1.3']], [{ a: '1' }]])('refuses %j', (given) => {
    expect(() => readCursor(given)).toThrow(/given once/);
  });
});
