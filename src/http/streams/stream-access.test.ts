import { describe, expect, it } from '@jest/globals';
import { ManualClock } from '../../../test/support/manual-clock.js';
import { watchAccess, type AccessEnd } from './stream-access.js';

describe('the access of a reader', () => {
  const start = 1_000_000;
  const watch = (hasEnded: () => Promise<boolean>) => {
    const clock = new ManualClock(start);
    const ends: AccessEnd[] = [];
    const stop = watchAccess({ expiresAt: new Date(start + 45_000), hasEnded }, clock, (reason) =>
      ends.push(reason),
    );
    return { clock, ends, stop };
  };

  it('ends a minute after the token', async () => {
    const { clock, ends } = watch(async () => false);
    await clock.advance(104_999);
    expect(ends).toEqual([]);
    await clock.advance(1);
    expect(ends).toEqual(['expired']);
  });

  it('ends within a minute after it was ended, once', async () => {
    let hasEnded = false;
    const { clock, ends } = watch(async () => hasEnded);
    await clock.advance(31_000);
    hasEnded = true;
    await clock.advance(29_000);
    expect(ends).toEqual(['ended']);
    await clock.advance(600_000);
    expect(ends).toEqual(['ended']);
  });

  it('goes on while nobody can say whether it was ended, and is not watched after the stream', async () => {
    const { clock, ends, stop } = watch(async () => {
      throw new Error('the database is away');
    });
    await clock.advance(60_000);
    expect(ends).toEqual([]);
    stop();
    await clock.advance(600_000);
    expect(ends).toEqual([]);
  });
});
