import { describe, expect, it } from '@jest/globals';
import { retryAfterMs } from './retry-advice.js';

describe('retryAfterMs', () => {
  const now = Date.parse('2026-01-01T00:00:00Z');

  it.each<[Record<string, string>, number | undefined]>([
    [{}, undefined],
    [{ 'retry-after': '30' }, 30_000],
    [{ 'retry-after': '0.5' }, 500],
    [{ 'retry-after': 'soon' }, undefined],
    [{ 'retry-after': 'Thu, 01 Jan 2026 00:00:20 GMT' }, 20_000],
    [{ 'retry-after': 'Wed, 31 Dec 2025 23:00:00 GMT' }, 0],
    [{ 'retry-after': '-3' }, 0],
    [{ 'retry-after-ms': '250', 'retry-after': '3600' }, 250],
  ])('%j: %s', (headers, ms) => {
    expect(retryAfterMs(new Headers(headers), now)).toBe(ms);
  });
});
