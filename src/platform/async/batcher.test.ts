import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { expect, it, describe } from '@jest/globals';
import { Batcher, LoopShare } from './batcher.js';

const never = (): boolean => false;

it('runs what waits together, and what comes meanwhile in the next run', async () => {
  const runs: number[][] = [];
  const ends: (() => void)[] = [];
  const batcher = new Batcher(async (items: readonly number[]) => {
    runs.push([...items]);
    await new Promise<void>((resolve) => ends.push(resolve));
    return items.map((item) => item * 2);
  }, never);
  const first = [batcher.add(1), batcher.add(2)];
  await yieldToEventLoop();
  const next = [batcher.add(3), batcher.add(4)];
  expect(runs).toEqual([[1, 2]]);
  ends[0]?.();
  expect(await Promise.all(first)).toEqual([2, 4]);
  await yieldToEventLoop();
  expect(runs).toEqual([
    [1, 2],
    [3, 4],
  ]);
  ends[1]?.();
  expect(await Promise.all(next)).toEqual([6, 8]);
});

it('does a batch that fails one by one', async () => {
  const runs: string[][] = [];
  const batcher = new Batcher(async (items: readonly string[]) => {
    runs.push([...items]);
    if (items.includes('bad')) throw new Error('no');
    return items;
  }, never);
  const [bad, good] = [batcher.add('bad'), batcher.add('good')];
  await expect(bad).rejects.toThrow('no');
  expect(await good).toBe('good');
  expect(await batcher.add('later')).toBe('later');
  expect(runs).toEqual([['bad', 'good'], ['bad'], ['good'], ['later']]);
});

it('rejects the items alone that a run answers with an error', async () => {
  const batcher = new Batcher(
    async (items: readonly number[]) => items.map((item) => (item < 0 ? new Error('no') : item)),
    never,
  );
  const [bad, good] = [batcher.add(-1), batcher.add(1)];
  await expect(bad).rejects.toThrow('no');
  expect(await good).toBe(1);
});

it('rejects every item of a batch whose failure is for all', async () => {
  let runs = 0;
  const batcher = new Batcher(
    async (): Promise<string[]> => {
      runs += 1;
      throw new Error('down');
    },
    () => true,
  );
  for (const one of [batcher.add('a'), batcher.add('b')]) await expect(one).rejects.toThrow('down');
  expect(runs).toBe(1);
});

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
