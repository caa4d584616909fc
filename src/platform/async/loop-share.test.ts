import { describe, expect, it } from '@jest/globals';
import { LoopShare } from './loop-share.js';

const nextCycle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('LoopShare', () => {
  it('resolves so many in a cycle of the loop, in the order of the calls', async () => {
    const share = new LoopShare(2);
    const done: number[] = [];
    const all = [1, 2, 3, 4, 5].map(async (piece) => {
      await share.next();
      done.push(piece);
    });
    await Promise.resolve();
    expect(done).toEqual([1, 2]);
    await nextCycle();
    expect(done).toEqual([1, 2, 3, 4]);
    await Promise.all(all);
    expect(done).toEqual([1, 2, 3, 4, 5]);
  });

  it('does not delay a piece that is alone', async () => {
    const share = new LoopShare(1);
    for (let cycle = 0; cycle < 3; cycle += 1) {
      let isResolved = false;
      const going = share.next().then(() => (isResolved = true));
      await Promise.resolve();
      await Promise.resolve();
      expect(isResolved).toBe(true);
      await going;
      await nextCycle();
    }
  });
});
