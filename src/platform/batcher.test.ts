import { expect, it } from '@jest/globals';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { Batcher } from './batcher.js';

it('runs what waits together, and what comes meanwhile in the next run', async () => {
  const runs: number[][] = [];
  const ends: (() => void)[] = [];
  const batcher = new Batcher(async (items: readonly number[]) => {
    runs.push([...items]);
    await new Promise<void>((resolve) => ends.push(resolve));
    return items.map((item) => item * 2);
  });
  const first = [batcher.add(1), batcher.add(2)];
  await nextTurn();
  const next = [batcher.add(3), batcher.add(4)];
  expect(runs).toEqual([[1, 2]]);
  ends[0]?.();
  expect(await Promise.all(first)).toEqual([2, 4]);
  await nextTurn();
  expect(runs).toEqual([
    [1, 2],
    [3, 4],
  ]);
  ends[1]?.();
  expect(await Promise.all(next)).toEqual([6, 8]);
});

it('rejects every item of a run that fails, and goes on', async () => {
  const batcher = new Batcher(async (items: readonly string[]) => {
    if (items.includes('bad')) throw new Error('no');
    return items;
  });
  const failed = [batcher.add('bad'), batcher.add('beside it')];
  for (const one of failed) await expect(one).rejects.toThrow('no');
  expect(await batcher.add('later')).toBe('later');
});
