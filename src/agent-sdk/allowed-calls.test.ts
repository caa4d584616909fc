import { describe, expect, it } from '@jest/globals';
import { AllowedCalls } from './allowed-calls.js';

/** Notes whether a promise has resolved, once all that can happen has happened. */
async function isOver(waiting: Promise<void>): Promise<boolean> {
  let over = false;
  void waiting.then(() => (over = true));
  await new Promise((resolve) => setImmediate(resolve));
  return over;
}

describe('the calls that a program allowed', () => {
  it('are waited for, those before a call alone', async () => {
    const calls = new AllowedCalls();
    calls.allow('a');
    calls.allow('c');
    const waiting = calls.endOfThose(['a', 'b', 'c'], 'b');
    expect(await isOver(waiting)).toBe(false);
    calls.end('a');
    expect(await isOver(waiting)).toBe(true);
  });

  it('are not waited for behind one that nobody has allowed, which would keep them back', async () => {
    const calls = new AllowedCalls();
    calls.allow('b');
    expect(await isOver(calls.endOfThose(['a', 'b', 'c'], 'c'))).toBe(true);
  });

  it('are not waited for where their results came, or no more come', async () => {
    const calls = new AllowedCalls();
    calls.end('a');
    calls.allow('b');
    const waiting = calls.endOfThose(['a', 'b', 'c'], 'c');
    expect(await isOver(waiting)).toBe(false);
    calls.endAll();
    expect(await isOver(waiting)).toBe(true);
  });

  it('are none before a call of somebody else', async () => {
    const calls = new AllowedCalls();
    calls.allow('a');
    expect(await isOver(calls.endOfThose(['a'], 'of-a-subagent'))).toBe(true);
  });
});
