import { beforeEach, describe, expect, it } from '@jest/globals';
import { ManualClock } from '../../test/support/manual-clock.js';
import { TtlCache } from './ttl-cache.js';

describe('Remembered', () => {
  let clock: ManualClock;
  let asked: number;
  beforeEach(() => {
    clock = new ManualClock();
    asked = 0;
  });
  const count = async (): Promise<number> => (asked += 1);

  it('answers many questions with one answer, for a while', async () => {
    const remembered = new TtlCache<number>(clock, 1_000);
    const answers = await Promise.all([remembered.ask('a', count), remembered.ask('a', count)]);
    await clock.advance(999);
    expect([...answers, await remembered.ask('a', count)]).toEqual([1, 1, 1]);
    await clock.advance(1);
    expect(await remembered.ask('a', count)).toBe(2);
  });

  it('keeps questions apart', async () => {
    const remembered = new TtlCache<number>(clock, 1_000);
    expect([await remembered.ask('a', count), await remembered.ask('b', count)]).toEqual([1, 2]);
  });

  it('asks again after a failure', async () => {
    const remembered = new TtlCache<number>(clock, 1_000);
    const fail = () => Promise.reject(new Error('no'));
    await expect(remembered.ask('a', fail)).rejects.toThrow('no');
    expect(await remembered.ask('a', count)).toBe(1);
  });

  it('remembers nothing for no time', async () => {
    const remembered = new TtlCache<number>(clock, 0);
    expect([await remembered.ask('a', count), await remembered.ask('a', count)]).toEqual([1, 2]);
  });
});
