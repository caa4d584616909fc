import { beforeEach, describe, expect, it } from '@jest/globals';
import { ManualClock } from '../../../test/support/manual-clock.js';
import { TtlCache } from './ttl-cache.js';

describe('TtlCache', () => {
  let clock: ManualClock;
  let loads: number;
  beforeEach(() => {
    clock = new ManualClock();
    loads = 0;
  });
  const count = async (): Promise<number> => (loads += 1);

  it('loads a key once while its value is fresh', async () => {
    const cache = new TtlCache<number>(clock, 1_000);
    const values = await Promise.all([cache.get('a', count), cache.get('a', count)]);
    await clock.advance(999);
    expect([...values, await cache.get('a', count)]).toEqual([1, 1, 1]);
    await clock.advance(1);
    expect(await cache.get('a', count)).toBe(2);
  });

  it('loads a key again that was deleted, and no other', async () => {
    const cache = new TtlCache<number>(clock, 1_000);
    expect([await cache.get('a', count), await cache.get('b', count)]).toEqual([1, 2]);
    cache.delete('a');
    expect([await cache.get('a', count), await cache.get('b', count)]).toEqual([3, 2]);
  });

  it('keeps keys apart', async () => {
    const cache = new TtlCache<number>(clock, 1_000);
    expect([await cache.get('a', count), await cache.get('b', count)]).toEqual([1, 2]);
  });

  it('loads again after a failure', async () => {
    const cache = new TtlCache<number>(clock, 1_000);
    const fail = () => Promise.reject(new Error('no'));
    await expect(cache.get('a', fail)).rejects.toThrow('no');
    expect(await cache.get('a', count)).toBe(1);
  });

  it('caches nothing with a TTL of 0', async () => {
    const cache = new TtlCache<number>(clock, 0);
    expect([await cache.get('a', count), await cache.get('a', count)]).toEqual([1, 2]);
  });
});
