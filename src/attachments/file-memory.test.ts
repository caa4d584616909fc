import { describe, expect, it } from '@jest/globals';
import { untilAborted } from '../platform/async/deadlines.js';
import { type Requester, FileMemory } from './file-memory.js';

const MiB = 1024 * 1024;
const asks = (principalId: string, signal = new AbortController().signal): Requester => ({
  principalId,
  wait: (work) => untilAborted(work(), signal),
});
const open = asks('a');

/** Whether a promise has settled, once all that need no event have. */
async function isSettled(promise: Promise<unknown>): Promise<boolean> {
  let settled = false;
  promise.then(
    () => (settled = true),
    () => (settled = true),
  );
  await new Promise((resolve) => setImmediate(resolve));
  return settled;
}

describe('FileMemory', () => {
  it('lets in what fits, and the rest in order as room comes', async () => {
    const memory = new FileMemory({ attachmentMemoryMb: 10 });
    const first = await memory.reserve(6 * MiB, open);
    const second = memory.reserve(6 * MiB, open);
    const third = memory.reserve(4 * MiB, open);
    expect(await isSettled(second)).toBe(false);
    expect(await isSettled(third)).toBe(false);
    first();
    (await second)();
    (await third)();
  });

  it('takes one that is larger than all room when it is alone', async () => {
    const memory = new FileMemory({ attachmentMemoryMb: 1 });
    const small = await memory.reserve(1, open);
    const large = memory.reserve(50 * MiB, open);
    expect(await isSettled(large)).toBe(false);
    small();
    (await large)();
    expect(await isSettled(memory.reserve(MiB, open))).toBe(true);
  });

  it('asks nothing of turns without files', async () => {
    const memory = new FileMemory({ attachmentMemoryMb: 1 });
    await memory.reserve(MiB, open);
    expect(await isSettled(memory.reserve(0, open))).toBe(true);
  });

  it('gives the room of one who left to the next', async () => {
    const memory = new FileMemory({ attachmentMemoryMb: 1 });
    const first = await memory.reserve(MiB, open);
    const leaving = new AbortController();
    const gone = memory.reserve(MiB, asks('a', leaving.signal));
    const next = memory.reserve(MiB, open);
    leaving.abort(new Error('left'));
    await expect(gone).rejects.toThrow('left');
    expect(await isSettled(next)).toBe(false);
    first();
    (await next)();
  });

  it('keeps room for others, whatever one principal has and wants', async () => {
    const memory = new FileMemory({ attachmentMemoryMb: 8 });
    const held = [];
    for (let turns = 0; turns < 3; turns += 1) held.push(await memory.reserve(2 * MiB, open));
    const more = Array.from({ length: 100 }, () => memory.reserve(2 * MiB, asks('a')));
    expect(await isSettled(Promise.race(more))).toBe(false);
    const small = await memory.reserve(2 * MiB, asks('b'));
    const waiting = memory.reserve(2 * MiB, asks('c'));
    expect(await isSettled(waiting)).toBe(false);
    // The principal with nothing reserved is served first, though its request came later.
    held[0]?.();
    (await waiting)();
    small();
    expect(await isSettled(Promise.race(more))).toBe(true);
  });
});
