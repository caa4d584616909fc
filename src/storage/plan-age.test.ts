import { describe, expect, it } from '@jest/globals';
import { PlanAge } from './pooled-database.js';

describe('the age of plans', () => {
  it('is over after a second, at twice the age each time after that, and each minute in the end', () => {
    let now = 0;
    const age = new PlanAge(() => now);
    const ends: number[] = [];
    for (; now < 300_000; now += 500) if (age.isOver()) ends.push(now / 1_000);
    expect(ends).toEqual([1, 3, 7, 15, 31, 63, 123, 183, 243]);
  });
});
