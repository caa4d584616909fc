import { describe, expect, it } from '@jest/globals';
import { ManualClock } from '../../../test/support/manual-clock.js';
import { untilAborted } from './abort.js';
import { withDeadline } from './with-deadline.js';

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
