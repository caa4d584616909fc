import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { WorkerSlot, WorkerSlots } from './worker-slot.js';

/** A wait that the test ends. */
function openWait(): { wait: () => Promise<string>; finish: () => void } {
  let finish = (): void => undefined;
  const done = new Promise<string>((resolve) => (finish = () => resolve('done')));
  return { wait: () => done, finish };
}

describe('WorkerSlot', () => {
  it('is for others while its turn only waits, and its turn is before those that begin', async () => {
    const slots = new WorkerSlots(1);
    const [parent, child, third] = [1, 2, 3].map(() => new WorkerSlot(slots));
    if (!parent || !child || !third) throw new Error('Three slots');
    const order: string[] = [];
    await parent.take();
    const wait = openWait();
    const back = parent.without(wait.wait).then(() => order.push('parent'));
    await parent.givenAway;
    await child.take();
    const begun = third.take().then(() => order.push('third'));
    wait.finish();
    await nextTurn();
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
    const [parent, other] = [new WorkerSlot(slots), new WorkerSlot(slots)];
    await parent.take();
    const waits = [openWait(), openWait()];
    const both = Promise.all(waits.map(({ wait }) => parent.without(wait)));
    waits[0]?.finish();
    await other.take();
    other.leave();
    waits[1]?.finish();
    expect(await both).toEqual(['done', 'done']);
    let hasSlot = false;
    const next = other.take().then(() => (hasSlot = true));
    await nextTurn();
    expect(hasSlot).toBe(false);
    parent.leave();
    await next;
  });

  it('takes no slot after its turn has left, whatever it still waited for', async () => {
    const slots = new WorkerSlots(1);
    const [slot, other] = [new WorkerSlot(slots), new WorkerSlot(slots)];
    await slot.take();
    const [late, early] = [openWait(), openWait()];
    const waits = [slot.without(late.wait), slot.without(early.wait)];
    await other.take();
    early.finish();
    await waits[1];
    slot.leave();
    late.finish();
    await waits[0];
    other.leave();
    await new WorkerSlot(slots).take();
  });

  it('gives a slot back that it is given after its turn has left', async () => {
    const slots = new WorkerSlots(1);
    const [slot, other] = [new WorkerSlot(slots), new WorkerSlot(slots)];
    await slot.take();
    const wait = openWait();
    const back = slot.without(wait.wait);
    await other.take();
    wait.finish();
    await nextTurn();
    slot.leave();
    other.leave();
    await back;
    await new WorkerSlot(slots).take();
  });

  it('has its slot again after a wait that failed', async () => {
    const slots = new WorkerSlots(1);
    const slot = new WorkerSlot(slots);
    await slot.take();
    const failing = slot.without(async () => {
      throw new Error('no');
    });
    await expect(failing).rejects.toThrow('no');
    let hasSlot = false;
    const next = new WorkerSlot(slots).take().then(() => (hasSlot = true));
    await nextTurn();
    expect(hasSlot).toBe(false);
    slot.leave();
    await next;
  });
});
