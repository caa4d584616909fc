import { describe, expect, it } from '@jest/globals';
import { assert, nat, property, string } from 'fast-check';
import { capOutput } from './cap-output.js';

describe('capOutput', () => {
  it.each([
    ['', 0, ''],
    ['abc', 3, 'abc'],
    ['abcdef', 4, 'ab\n[output cut: 4 of 6 characters shown]\nef'],
    ['abcdef', 3, 'ab\n[output cut: 3 of 6 characters shown]\nf'],
    ['abcdef', 0, '\n[output cut: 0 of 6 characters shown]\n'],
    // A surrogate pair on the cut is dropped whole, at the head and at the tail.
    ['a😀bcdef', 4, 'a\n[output cut: 3 of 8 characters shown]\nef'],
    ['abcde😀f', 4, 'ab\n[output cut: 3 of 8 characters shown]\nf'],
  ])('%j at %i', (text, limit, capped) => {
    expect(capOutput(text, limit)).toBe(capped);
  });

  it('never splits a pair and never keeps more than the limit', () => {
    assert(
      property(string({ unit: 'grapheme' }), nat(30), (text, limit) => {
        const capped = capOutput(text, limit);
        expect(capped).not.toMatch(/\p{Surrogate}/u);
        const shown = /\[output cut: (\d+) of/.exec(capped)?.[1];
        expect(Number(shown ?? 0)).toBeLessThanOrEqual(limit);
        expect(shown === undefined).toBe(text.length <= limit);
      }),
    );
  });
});
