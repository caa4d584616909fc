import { describe, expect, it } from '@jest/globals';
import { isLongJson } from './json.js';

describe('isLongJson', () => {
  it.each<[unknown]>([
    ['a'.repeat(98)],
    [{ ['k'.repeat(90)]: 1 }],
    [[1, null, true, {}, []]],
    [undefined],
  ])('takes what is short enough: %j', (value) => {
    expect(isLongJson(value, 100)).toBe(false);
  });

  it.each<[unknown]>([
    ['a'.repeat(101)],
    [{ ['k'.repeat(101)]: 1 }],
    [{ a: { b: ['a'.repeat(101)] } }],
    [Array.from({ length: 101 }, () => 1)],
    [Array.from({ length: 101 }, () => [])],
  ])('finds what is longer: %j', (value) => {
    expect(isLongJson(value, 100)).toBe(true);
  });

  it('looks no further than that', () => {
    let looked = 0;
    const item = { [Symbol.toStringTag]: 'item' };
    Object.defineProperty(item, 'text', {
      enumerable: true,
      get: () => {
        looked += 1;
        return 'a'.repeat(50);
      },
    });
    expect(
      isLongJson(
        Array.from({ length: 1_000 }, () => item),
        100,
      ),
    ).toBe(true);
    expect(looked).toBeLessThan(4);
  });
});
