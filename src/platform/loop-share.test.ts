import { describe, expect, it } from '@jest/globals';
import { LoopShare } from './loop-share.js';

const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('LoopShare', () => {
  it('lets so many go in a turn of the loop, in the order they asked', async () => {
    const share = new LoopShare(2);
    const gone: number[] = [];
    const all = [1, 2, 3, 4, 5].map(async (piece) => {
      await share.turn();
      gone.push(piece);
    });
    await Promise.resolve();
    expect(gone).toEqual([1, 2]);
    await nextTurn();
    expect(gone).toEqual([1, 2, 3, 4]);
    await Promise.all(all);
    expect(gone).toEqual([1, 2, 3, 4, 5]);
  });

  it('holds up nobody who asks alone', async () => {
    const share = new LoopShare(1);
    for (let turn = 0; turn < 3; turn += 1) {
      let hasGone = false;
      const going = share.turn().then(() => (hasGone = true));
      await Promise.resolve();
      await Promise.resolve();
      expect(hasGone).toBe(true);
      await going;
      await nextTurn();
    }
  });
});
