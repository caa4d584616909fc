import { expect, it } from '@jest/globals';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { Batcher } from './batcher.js';

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
