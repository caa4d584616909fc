import { describe, expect, it } from '@jest/globals';
import { backoffMs } from './retry-policy.js';

describe('backoffMs', () => {
  it.each([
    [1, 250],
    [2, 500],
    [3, 1_000],
    [6, 8_000],
    [7, 10_000],
    [1_000, 10_000],
  ])('is at most, after %i failures, %i ms', (failures, cap) => {
    expect(backoffMs(failures, 0)).toBe(0);
    expect(backoffMs(failures, 0.5)).toBe(cap / 2);
    expect(backoffMs(failures, 1)).toBe(cap);
  });

  it('is at least the time that the server asked for', () => {
    expect(backoffMs(1, 0.5, 5_000)).toBe(5_000);
    expect(backoffMs(7, 1, 5_000)).toBe(10_000);
  });
});
