import { describe, expect, it } from '@jest/globals';
import { Recoveries } from './recoveries.js';

describe('Recoveries', () => {
  const turn = (attempt: number, attemptsInVain: number) => ({
    attempt,
    attemptsInVain,
    parkedAttempt: null,
  });

  it('run side by side after a crash', () => {
    const recoveries = new Recoveries(3);
    for (const one of [turn(2, 1), turn(2, 2), turn(7, 2)]) {
      expect(recoveries.begin(one)).toBeDefined();
    }
  });

  it('leave one on its last attempt alone until it has stored something', () => {
    const recoveries = new Recoveries(3);
    const proven = recoveries.begin(turn(3, 3));
    expect(proven).toBeDefined();
    expect(recoveries.begin(turn(3, 3))).toBeUndefined();
    expect(recoveries.begin(turn(2, 1))).toBeUndefined();
    proven?.();
    expect(recoveries.begin(turn(2, 1))).toBeDefined();
  });

  it('make one on its last attempt wait until all others have stored something', () => {
    const recoveries = new Recoveries(3);
    const others = [recoveries.begin(turn(2, 1)), recoveries.begin(turn(2, 2))];
    expect(recoveries.begin(turn(3, 3))).toBeUndefined();
    others[0]?.();
    expect(recoveries.begin(turn(3, 3))).toBeUndefined();
    others[1]?.();
    others[1]?.();
    expect(recoveries.begin(turn(3, 3))).toBeDefined();
  });

  it('are none of a first attempt, of one after a question to people, and of one that is only ended', () => {
    const recoveries = new Recoveries(3);
    recoveries.begin(turn(3, 3));
    expect(recoveries.begin(turn(1, 1))).toBeDefined();
    expect(recoveries.begin({ attempt: 4, attemptsInVain: 1, parkedAttempt: 3 })).toBeDefined();
    expect(recoveries.begin(turn(4, 4))).toBeDefined();
  });

  it('run side by side where every attempt is the last', () => {
    const recoveries = new Recoveries(1);
    expect(recoveries.begin(turn(2, 1))).toBeDefined();
    expect(recoveries.begin(turn(2, 1))).toBeDefined();
  });
});
