import { getMaxListeners } from 'node:events';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { linkAbort, untilAborted } from './abort.js';

describe('linkAbort', () => {
  it('passes an abort on with its reason, until it is detached', () => {
    const outer = new AbortController();
    const linked = new AbortController();
    const detached = new AbortController();
    linkAbort(outer.signal, linked);
    linkAbort(outer.signal, detached)();
    outer.abort('why');
    expect(linked.signal.reason).toBe('why');
    expect(detached.signal.aborted).toBe(false);
  });

  it('passes on an abort that has happened', () => {
    const inner = new AbortController();
    linkAbort(AbortSignal.abort('why'), inner);
    expect(inner.signal.reason).toBe('why');
  });
});

describe('untilAborted', () => {
  it('settles as the work does', async () => {
    const { signal } = new AbortController();
    await expect(untilAborted(Promise.resolve(1), signal)).resolves.toBe(1);
    await expect(untilAborted(Promise.reject(new Error('no')), signal)).rejects.toThrow('no');
  });

  it('rejects at once when the signal aborts, before or during', async () => {
    const never = new Promise<never>(() => undefined);
    const controller = new AbortController();
    const result = untilAborted(never, controller.signal);
    controller.abort(new Error('stop'));
    await expect(result).rejects.toThrow('stop');
    await expect(untilAborted(never, controller.signal)).rejects.toThrow('stop');
  });
});

describe('untilAborted, when the signal comes first', () => {
  it.each(['before', 'during'])('leaves no unhandled rejection: aborted %s', async (when) => {
    const unhandled: unknown[] = [];
    const note = (error: unknown): void => void unhandled.push(error);
    process.on('unhandledRejection', note);
    const controller = new AbortController();
    const stop = new Error('stop');
    let fail = (_error: Error): void => undefined;
    const work = new Promise<never>((_resolve, reject) => (fail = reject));
    if (when === 'before') controller.abort(stop);
    const result = untilAborted(work, controller.signal);
    controller.abort(stop);
    await expect(result).rejects.toBe(stop);
    fail(new Error('late'));
    // The runtime reports what nobody handled after the microtasks of a turn of the loop.
    await nextTurn();
    await nextTurn();
    process.off('unhandledRejection', note);
    expect(unhandled).toEqual([]);
  });
});

// From the eleventh listener on, Node 20 would warn of a leak: of a turn with as many MCP servers, for one.
it('a signal may end any number of things', async () => {
  const linked = new AbortController();
  linkAbort(linked.signal, new AbortController())();
  const awaited = new AbortController();
  await untilAborted(Promise.resolve(), awaited.signal);
  expect([linked, awaited].map(({ signal }) => getMaxListeners(signal))).toEqual([
    Infinity,
    Infinity,
  ]);
});
