import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { streamTexts, type FrameBatch } from './frame-batch.js';

describe('streamFrames', () => {
  /** A stream that notes what is asked of it. */
  const open = (texts: readonly string[], fault?: Error) => {
    const notes: string[] = [];
    const batches: FrameBatch[] = [];
    const subscription = streamTexts(
      async function* (signal) {
        try {
          for (const text of texts) {
            notes.push(`makes ${text}`);
            yield text;
          }
          if (fault !== undefined) throw fault;
        } finally {
          notes.push(signal.aborted ? 'left' : 'done');
        }
      },
      { mayBeEmpty: true },
    ).batches.subscribe({
      next: (batch) => batches.push(batch),
      complete: () => notes.push('complete'),
      error: (error: unknown) => notes.push(String(error)),
    });
    const drain = async (): Promise<void> => {
      batches.at(-1)?.onDrained();
      await setImmediate();
    };
    return { notes, batches, subscription, drain };
  };

  it('comes at once with an empty batch, before its source is asked', async () => {
    const { notes, batches, subscription } = open(['a']);
    expect(batches).toEqual([{ text: '', mayBeEmpty: true, onDrained: expect.any(Function) }]);
    subscription.unsubscribe();
    await setImmediate();
    expect(notes).toEqual([]);
  });

  it('makes a batch when the one before has drained, and no sooner', async () => {
    const { notes, batches, drain } = open(['a', 'b']);
    await drain();
    await setImmediate();
    expect(notes).toEqual(['makes a']);
    await drain();
    expect(notes).toEqual(['makes a', 'makes b']);
    await drain();
    expect(notes).toEqual(['makes a', 'makes b', 'done', 'complete']);
    expect(batches.map(({ text }) => text)).toEqual(['', 'a', 'b']);
  });

  it('ends its source when its subscriber leaves, also before a batch has drained', async () => {
    const { notes, subscription, drain } = open(['a', 'b']);
    await drain();
    subscription.unsubscribe();
    await setImmediate();
    expect(notes).toEqual(['makes a', 'left']);
  });

  it('fails with its source', async () => {
    const { notes, drain } = open([], new Error('no'));
    await drain();
    expect(notes).toEqual(['done', 'Error: no']);
  });
});
