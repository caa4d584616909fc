import { describe, expect, it } from '@jest/globals';
import { ManualClock } from '../../../test/support/manual-clock.js';
import { retry, retryDelay } from './retry.js';

const delays = { firstMs: 100, maxMs: 350 };
const always = { ...delays, mayRetry: () => true };
const down = new Error('down');

describe('retryDelay', () => {
  it('doubles up to its maximum', () => {
    expect([0, 1, 2, 3, 2_000].map((retries) => retryDelay(delays, retries))).toEqual([
      100, 200, 350, 350, 350,
    ]);
  });

  it('is cut by chance to no less than half', () => {
    expect([0, 0.5, 1].map((random) => retryDelay(delays, 1, random))).toEqual([100, 150, 200]);
  });
});

describe('retry', () => {
  it('returns what the work returns, without a delay after success', async () => {
    const clock = new ManualClock();
    expect(await retry(clock, always, async () => 'done')).toBe('done');
    expect(clock.pending).toBe(0);
  });

  it('runs failed work again, each time after a longer delay', async () => {
    const clock = new ManualClock();
    const startedAt = clock.now();
    const tries: number[][] = [];
    const result = retry(clock, always, async (failures) => {
      tries.push([failures, clock.now() - startedAt]);
      if (failures < 3) throw down;
      return 'done';
    });
    await clock.advance(0);
    await clock.advance(1_000);
    expect(await result).toBe('done');
    expect(tries).toEqual([
      [0, 0],
      [1, 100],
      [2, 300],
      [3, 650],
    ]);
  });

  it('throws an error that is final, at once', async () => {
    const clock = new ManualClock();
    const seen: unknown[] = [];
    const mayRetry = (error: unknown): boolean => {
      seen.push(error);
      return error === down;
    };
    const fatal = new Error('fatal');
    const result = expect(
      retry(clock, { ...delays, mayRetry }, (failures) =>
        Promise.reject(failures === 0 ? down : fatal),
      ),
    ).rejects.toBe(fatal);
    await clock.advance(0);
    await clock.advance(100);
    await result;
    expect(seen).toEqual([down, fatal]);
  });

  it('ends a delay with the reason of the signal', async () => {
    const stop = new AbortController();
    const reason = new Error('stop');
    const result = expect(
      retry(new ManualClock(), { ...always, signal: stop.signal }, () => Promise.reject(down)),
    ).rejects.toBe(reason);
    stop.abort(reason);
    await result;
  });
});
