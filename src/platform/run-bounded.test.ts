import { describe, expect, it } from '@jest/globals';
import { runBounded, TooLongError } from './run-bounded.js';

describe('runBounded', () => {
  it('gives what the code returns, and throws what it throws', () => {
    expect(runBounded(() => 42, 100)).toBe(42);
    expect(runBounded(() => undefined, 100)).toBeUndefined();
    expect(() =>
      runBounded(() => {
        throw new RangeError('mine');
      }, 100),
    ).toThrow(RangeError);
  });

  it.each([
    ['a loop', () => endless()],
    ['a match', () => /^(a+)+$/.test(`${'a'.repeat(60)}b`)],
  ])('stops %s, and runs again after it', (_what, run) => {
    expect(() => runBounded<unknown>(run, 50)).toThrow(TooLongError);
    expect(runBounded(() => 1, 60_000)).toBe(1);
  });
});

function endless(): never {
  for (;;);
}
