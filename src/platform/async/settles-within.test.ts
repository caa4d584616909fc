import { describe, expect, it } from '@jest/globals';
import { settlesWithin } from './settles-within.js';

describe('settlesWithin', () => {
  it('tells done, late and failed work apart', async () => {
    expect(await settlesWithin(60_000, Promise.resolve())).toBe(true);
    expect(await settlesWithin(1, new Promise(() => undefined))).toBe(false);
    await expect(settlesWithin(60_000, Promise.reject(new Error('no')))).rejects.toThrow('no');
  });

  it('leaves no unhandled rejection of late work', async () => {
    let fail = (): void => undefined;
    const work = new Promise<void>((_resolve, reject) => (fail = () => reject(new Error('late'))));
    expect(await settlesWithin(1, work)).toBe(false);
    fail();
    await expect(work).rejects.toThrow('late');
  });
});
