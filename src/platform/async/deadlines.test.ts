import { describe, expect, it } from '@jest/globals';
import { ManualClock } from '../../../test/support/manual-clock.js';
import { settlesWithin, withDeadline } from './deadlines.js';
import { untilAborted } from './abort.js';

describe('settlesWithin', () => {
  it('tells done, late and failed work apart', async () => {
    expect(await settlesWithin(60_000, Promise.resolve())).toBe(true);
    expect(await settlesWithin(1, new Promise(() => undefined))).toBe(false);
    await expect(settlesWithin(60_000, Promise.reject(new Error('no')))).rejects.toThrow('no');
  });

  it('waits by the given clock, and leaves no timer', async () => {
    const clock = new ManualClock();
    expect(await settlesWithin(10, Promise.resolve(), clock)).toBe(true);
    expect(clock.pending).toBe(0);
    let found: boolean | undefined;
    const late = settlesWithin(10, new Promise(() => undefined), clock);
    const told = late.then((isInTime) => (found = isInTime));
    await clock.advance(9);
    expect(found).toBeUndefined();
    await clock.advance(1);
    await told;
    expect([found, clock.pending]).toEqual([false, 0]);
  });

  it('leaves no unhandled rejection of late work', async () => {
    let fail = (): void => undefined;
    const work = new Promise<void>((_resolve, reject) => (fail = () => reject(new Error('late'))));
    expect(await settlesWithin(1, work)).toBe(false);
    fail();
    await expect(work).rejects.toThrow('late');
  });
});

const forever = (signal: AbortSignal) => untilAborted(new Promise<never>(() => undefined), signal);

describe('withDeadline', () => {
  it('returns what the work returns, and leaves no timer', async () => {
    const clock = new ManualClock();
    let given: AbortSignal | undefined;
    const result = await withDeadline(clock, 10, async (signal) => {
      given = signal;
      return 'done';
    });
    await clock.advance(11);
    expect([result, given?.aborted]).toEqual(['done', false]);
  });

  it('aborts the work with its reason when the time is over', async () => {
    const clock = new ManualClock();
    const reason = new Error('late');
    const rejected = expect(withDeadline(clock, { ms: 10, reason }, forever)).rejects.toBe(reason);
    await clock.advance(9);
    await clock.advance(1);
    await rejected;
  });

  it('passes an earlier end on, with the reason of that', async () => {
    const outer = new AbortController();
    const reason = new Error('cancelled');
    const result = withDeadline(new ManualClock(), { ms: 10, outer: outer.signal }, forever);
    outer.abort(reason);
    await expect(result).rejects.toBe(reason);
  });
});
