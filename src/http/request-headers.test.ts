import { describe, expect, it } from '@jest/globals';
import { parseIdempotencyKey } from './request-headers.js';

describe('parseIdempotencyKey', () => {
  it.each([undefined, 'k', 'k'.repeat(255)])('takes %j', (key) => {
    expect(parseIdempotencyKey(key)).toBe(key);
  });

  it.each(['', 'k'.repeat(256)])('refuses %j', (key) => {
    expect(() => parseIdempotencyKey(key)).toThrow(/1 to 255 characters/);
  });
});
