import { describe, expect, it } from '@jest/globals';
import { TakeoverGuard } from './attempts-in-vain.js';

describe('TakeoverGuard', () => {
  const turn = (attempt: number, attemptsInVain: number) => ({
    attempt,
    attemptsInVain,
    parkedAttempt: null,
  });

  it('run side by side after a crash', () => {
    const guard = new TakeoverGuard(3);
    for (const one of [turn(2, 1), turn(2, 2), turn(7, 2)]) {
      expect(guard.begin(one)).toBeDefined();
    }
  });

  it('leave one on its last attempt alone until it has stored something', () => {
    const guard = new TakeoverGuard(3);
    const proven = guard.begin(turn(3, 3));
    expect(proven).toBeDefined();
    expect(guard.begin(turn(3, 3))).toBeUndefined();
    expect(guard.begin(turn(2, 1))).toBeUndefined();
    proven?.();
    expect(guard.begin(turn(2, 1))).toBeDefined();
  });

  it('make one on its last attempt wait until all others have stored something', () => {
    const guard = new TakeoverGuard(3);
    const others = [guard.begin(turn(2, 1)), guard.begin(turn(2, 2))];
    expect(guard.begin(turn(3, 3))).toBeUndefined();
    others[0]?.();
    expect(guard.begin(turn(3, 3))).toBeUndefined();
    others[1]?.();
    others[1]?.();
    expect(guard.begin(turn(3, 3))).toBeDefined();
  });

  it('are none of a first attempt, of one after a question to people, and of one that is only ended', () => {
    const guard = new TakeoverGuard(3);
    guard.begin(turn(3, 3));
    expect(guard.begin(turn(1, 1))).toBeDefined();
    expect(guard.begin({ attempt: 4, attemptsInVain: 1, parkedAttempt: 3 })).toBeDefined();
    expect(guard.begin(turn(4, 4))).toBeDefined();
  });

  it('run side by side where every attempt is the last', () => {
    const guard = new TakeoverGuard(1);
    expect(guard.begin(turn(2, 1))).toBeDefined();
    expect(guard.begin(turn(2, 1))).toBeDefined();
  });
});
