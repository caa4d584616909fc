import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { WorkerSlots } from './worker-slot.js';

/** A wait that the test ends. */
function openWait(): { wait: () => Promise<string>; finish: () => void } {
  let finish = (): void => undefined;
  const done = new Promise<string>((resolve) => (finish = () => resolve('done')));
  return { wait: () => done, finish };
}

/** A promise, and whether it is fulfilled by now. */
function observe<T>(promise: Promise<T>): { promise: Promise<T>; isDone(): boolean } {
  let done = false;
  return { promise: promise.finally(() => (done = true)), isDone: () => done };
}

describe('WorkerSlots', () => {
  it('are taken as they are free, at most as many as are asked for', async () => {
    const slots = new WorkerSlots(3);
    const two = await slots.takeFree(2);
    expect(two).toHaveLength(2);
    expect(await slots.takeFree(16)).toHaveLength(1);
    expect(await slots.takeFree(16)).toEqual([]);
    const free = observe(slots.untilFree());
    await yieldToEventLoop();
    expect(free.isDone()).toBe(false);
    two[0]?.leave();
    await free.promise;
    expect(await slots.takeFree(16)).toHaveLength(1);
  });

  it('are not free while a turn waits to come back', async () => {
    const slots = new WorkerSlots(1);
    const parent = await slots.take();
    const wait = openWait();
    const back = parent.releaseWhile(wait.wait);
    const [child] = await slots.takeFree(1);
    wait.finish();
    await yieldToEventLoop();
    child?.leave();
    expect(await slots.takeFree(1)).toEqual([]);
    await back;
  });
});

describe('WorkerSlot', () => {
  it('is for others while its turn only waits, and its turn is before those that begin', async () => {
    const slots = new WorkerSlots(1);
    const order: string[] = [];
    const parent = await slots.take();
    const wait = openWait();
    const back = parent.releaseWhile(wait.wait).then(() => order.push('parent'));
    const child = await slots.take();
    const begun = slots.take().then(() => order.push('third'));
    wait.finish();
    await yieldToEventLoop();
    expect(order).toEqual([]);
    child.leave();
    await back;
    expect(order).toEqual(['parent']);
    parent.leave();
    await begun;
    expect(order).toEqual(['parent', 'third']);
  });

  it('comes back once, when all it waits for side by side is done', async () => {
    const slots = new WorkerSlots(1);
    const parent = await slots.take();
    const waits = [openWait(), openWait()];
    const both = Promise.all(waits.map(({ wait }) => parent.releaseWhile(wait)));
    waits[0]?.finish();
    (await slots.take()).leave();
    waits[1]?.finish();
    expect(await both).toEqual(['done', 'done']);
    const next = observe(slots.take());
    await yieldToEventLoop();
    expect(next.isDone()).toBe(false);
    parent.leave();
    await next.promise;
  });

  it('takes no slot after its turn has left, whatever it still waited for', async () => {
    const slots = new WorkerSlots(1);
    const slot = await slots.take();
    const [late, early] = [openWait(), openWait()];
    const waits = [slot.releaseWhile(late.wait), slot.releaseWhile(early.wait)];
    const other = await slots.take();
    early.finish();
    await waits[1];
    slot.leave();
    late.finish();
    await waits[0];
    other.leave();
    await slots.take();
  });

  it('gives a slot back that it is given after its turn has left', async () => {
    const slots = new WorkerSlots(1);
    const slot = await slots.take();
    const wait = openWait();
    const back = slot.releaseWhile(wait.wait);
    const other = await slots.take();
    wait.finish();
    await yieldToEventLoop();
    slot.leave();
    other.leave();
    await back;
    await slots.take();
  });

  it('has its slot again after a wait that failed', async () => {
    const slots = new WorkerSlots(1);
    const slot = await slots.take();
    const failing = slot.releaseWhile(async () => {
      throw new Error('no');
    });
    await expect(failing).rejects.toThrow('no');
    const next = observe(slots.take());
    await yieldToEventLoop();
    expect(next.isDone()).toBe(false);
    slot.leave();
    await next.promise;
  });
});
