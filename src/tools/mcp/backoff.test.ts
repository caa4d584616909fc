import { describe, expect, it } from '@jest/globals';
import { ManualClock } from '../../../test/support/manual-clock.js';
import { Backoff } from './backoff.js';

describe('Backoff', () => {
  it('waits longer after every start that fails, a minute at most', () => {
    const backoff = new Backoff(new ManualClock());
    const waits = Array.from({ length: 8 }, () => {
      backoff.failed();
      return backoff.waitMs() / 1_000;
    });
    expect(waits).toEqual([1, 2, 4, 8, 16, 32, 60, 60]);
  });

  it('lets what died be started again at once, the first time', async () => {
    const clock = new ManualClock();
    const backoff = new Backoff(clock);
    backoff.started();
    backoff.died();
    expect(backoff.waitMs()).toBe(0);
    backoff.started();
    backoff.died();
    expect(backoff.waitMs()).toBe(1_000);
    await clock.advance(400);
    expect(backoff.waitMs()).toBe(600);
  });

  it('forgets failures when it worked', () => {
    const backoff = new Backoff(new ManualClock());
    backoff.started();
    backoff.died();
    backoff.worked();
    backoff.died();
    expect(backoff.waitMs()).toBe(0);
  });

  it('forgets failures when it ran for a minute', async () => {
    const clock = new ManualClock();
    const backoff = new Backoff(clock);
    backoff.failed();
    await clock.advance(1_000);
    backoff.started();
    await clock.advance(60_000);
    backoff.died();
    expect(backoff.waitMs()).toBe(0);
  });
});
