import { beforeEach, describe, expect, it } from '@jest/globals';
import { ManualClock } from '../../../test/support/manual-clock.js';
import { Deadline } from './lease.js';

describe('Deadline', () => {
  let clock: ManualClock;
  let over: number;
  let deadline: Deadline;
  beforeEach(() => {
    clock = new ManualClock();
    over = 0;
    deadline = new Deadline(clock, 1_000, () => (over += 1));
  });

  it('is over once, when its time is', async () => {
    await clock.advance(999);
    expect([over, deadline.leftMs]).toEqual([0, 1]);
    await clock.advance(10_000);
    expect([over, deadline.leftMs]).toEqual([1, 0]);
  });

  it('stands still while anybody pauses it, and returns for how long it did', async () => {
    await clock.advance(400);
    deadline.pause();
    await clock.advance(5_000);
    deadline.pause();
    await clock.advance(5_000);
    expect([over, deadline.leftMs]).toEqual([0, 600]);
    expect(deadline.resume()).toBe(0);
    await clock.advance(5_000);
    expect(deadline.resume()).toBe(15_000);
    await clock.advance(599);
    expect(over).toBe(0);
    await clock.advance(1);
    expect(over).toBe(1);
  });

  it('is never over once it was stopped', async () => {
    deadline.stop();
    await clock.advance(10_000);
    expect(over).toBe(0);
  });

  it('is over at once where no time is left', async () => {
    const none = new Deadline(clock, -5, () => (over += 1));
    await clock.advance(0);
    expect([over, none.leftMs]).toEqual([1, 0]);
  });
});
