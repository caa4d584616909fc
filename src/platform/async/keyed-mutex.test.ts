import { describe, expect, it } from '@jest/globals';
import { KeyedMutex } from './keyed-mutex.js';

describe('KeyedMutex', () => {
  it('runs one at a time for a key, in order, and other keys beside it', async () => {
    const mutex = new KeyedMutex();
    const done: string[] = [];
    let finish = (): void => undefined;
    const blocked = new Promise<void>((resolve) => (finish = resolve));
    const first = mutex.run('a', async () => {
      await blocked;
      done.push('first');
    });
    const second = mutex.run('a', async () => void done.push('second'));
    await mutex.run('b', async () => void done.push('other'));
    expect(done).toEqual(['other']);
    finish();
    await Promise.all([first, second]);
    expect(done).toEqual(['other', 'first', 'second']);
  });

  it('goes on after a failure, which its caller gets', async () => {
    const mutex = new KeyedMutex();
    const failing = mutex.run('a', async () => {
      throw new Error('no');
    });
    const next = mutex.run('a', async () => 'yes');
    await expect(failing).rejects.toThrow('no');
    expect(await next).toBe('yes');
  });
});
