import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { WorkerPlace, WorkerPlaces } from './worker-place.js';

/** A wait that the test ends. */
function held(): { wait: () => Promise<string>; finish: () => void } {
  let finish = (): void => undefined;
  const done = new Promise<string>((resolve) => (finish = () => resolve('done')));
  return { wait: () => done, finish };
}

describe('WorkerPlace', () => {
  it('is for others while its turn only waits, and its turn is before those that begin', async () => {
    const places = new WorkerPlaces(1);
    const [parent, child, third] = [1, 2, 3].map(() => new WorkerPlace(places));
    if (!parent || !child || !third) throw new Error('Three places');
    const order: string[] = [];
    await parent.take();
    const waiting = held();
    const back = parent.without(waiting.wait).then(() => order.push('parent'));
    await parent.givenAway;
    await child.take();
    const begun = third.take().then(() => order.push('third'));
    waiting.finish();
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
    const places = new WorkerPlaces(1);
    const [parent, other] = [new WorkerPlace(places), new WorkerPlace(places)];
    await parent.take();
    const waits = [held(), held()];
    const both = Promise.all(waits.map(({ wait }) => parent.without(wait)));
    waits[0]?.finish();
    await other.take();
    other.leave();
    waits[1]?.finish();
    expect(await both).toEqual(['done', 'done']);
    let hasPlace = false;
    const next = other.take().then(() => (hasPlace = true));
    await nextTurn();
    expect(hasPlace).toBe(false);
    parent.leave();
    await next;
  });

  it('takes no place after its turn has left, whatever it still waited for', async () => {
    const places = new WorkerPlaces(1);
    const [place, other] = [new WorkerPlace(places), new WorkerPlace(places)];
    await place.take();
    const [late, early] = [held(), held()];
    const waits = [place.without(late.wait), place.without(early.wait)];
    await other.take();
    early.finish();
    await waits[1];
    place.leave();
    late.finish();
    await waits[0];
    other.leave();
    await new WorkerPlace(places).take();
  });

  it('gives a place back that it is given after its turn has left', async () => {
    const places = new WorkerPlaces(1);
    const [place, other] = [new WorkerPlace(places), new WorkerPlace(places)];
    await place.take();
    const waiting = held();
    const back = place.without(waiting.wait);
    await other.take();
    waiting.finish();
    await nextTurn();
    place.leave();
    other.leave();
    await back;
    await new WorkerPlace(places).take();
  });

  it('has its place again after a wait that failed', async () => {
    const places = new WorkerPlaces(1);
    const place = new WorkerPlace(places);
    await place.take();
    const failing = place.without(async () => {
      throw new Error('no');
    });
    await expect(failing).rejects.toThrow('no');
    let hasPlace = false;
    const next = new WorkerPlace(places).take().then(() => (hasPlace = true));
    await nextTurn();
    expect(hasPlace).toBe(false);
    place.leave();
    await next;
  });
});
