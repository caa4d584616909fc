import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { ManualClock } from '../../../test/support/manual-clock.js';
import { Poller, type PollerOptions } from './poller.js';

function open(look: () => Promise<void>, options: Partial<PollerOptions> = {}) {
  const clock = new ManualClock();
  const errors: unknown[] = [];
  const poller = new Poller(look, {
    clock,
    waitMs: () => 1_000,
    onError: (error) => errors.push(error),
    ...options,
  });
  return { clock, errors, poller };
}

/** Looks that end when they are told to. */
function slowLooks() {
  const ends: (() => void)[] = [];
  const look = (): Promise<void> => new Promise((resolve) => ends.push(resolve));
  return { look, ends };
}

describe('Poller', () => {
  it('looks at intervals from the end of a look, once it was asked to', async () => {
    let looks = 0;
    const { clock, poller } = open(async () => void (looks += 1));
    await clock.advance(5_000);
    expect(looks).toBe(0);
    poller.now();
    expect(looks).toBe(1);
    await yieldToEventLoop();
    await clock.advance(999);
    expect(looks).toBe(1);
    await clock.advance(1_001);
    expect(looks).toBe(3);
    await poller.stop();
    expect(clock.pending).toBe(0);
  });

  it('begins with a wait where it is to look later, and waits once', async () => {
    let looks = 0;
    const { clock, poller } = open(async () => void (looks += 1));
    poller.later();
    poller.later();
    expect([looks, clock.pending]).toEqual([0, 1]);
    await clock.advance(1_000);
    expect(looks).toBe(1);
    await poller.stop();
  });

  it('looks one at a time, and once more for all that asked meanwhile', async () => {
    const { look, ends } = slowLooks();
    const { clock, poller } = open(look);
    poller.now();
    poller.now();
    poller.now();
    poller.later();
    expect([ends.length, clock.pending]).toEqual([1, 0]);
    ends[0]?.();
    await yieldToEventLoop();
    expect(ends).toHaveLength(2);
    ends[1]?.();
    await yieldToEventLoop();
    expect([ends.length, clock.pending]).toEqual([2, 1]);
    await poller.stop();
  });

  it.each([0, 1, 2, 3])(
    'makes a look that is asked for %i microtasks after the one before began',
    async (microtasks) => {
      let looks = 0;
      const { clock, poller } = open(async () => void (looks += 1));
      poller.now();
      for (let passed = 0; passed < microtasks; passed += 1) await Promise.resolve();
      poller.now();
      await yieldToEventLoop();
      await poller.stop();
      expect(looks).toBe(2);
      expect(clock.pending).toBe(0);
    },
  );

  it('goes on after a look that failed', async () => {
    let looks = 0;
    const { clock, errors, poller } = open(async () => {
      looks += 1;
      if (looks === 1) throw new Error('not now');
    });
    poller.now();
    await yieldToEventLoop();
    await clock.advance(1_000);
    expect([looks, errors]).toEqual([2, [new Error('not now')]]);
    await poller.stop();
  });

  it('waits by the time at which a look began, at least no time, and not at all where there is no next', async () => {
    const looks: number[] = [];
    const waits = [-5, 300, undefined];
    const began: number[] = [];
    const { clock, poller } = open(async () => void looks.push(clock.now()), {
      waitMs: (lookedAt) => {
        began.push(lookedAt);
        return waits.shift();
      },
    });
    const start = clock.now();
    poller.now();
    await yieldToEventLoop();
    await clock.advance(10_000);
    expect(looks).toEqual([start, start, start + 300]);
    expect(began).toEqual(looks);
    expect(clock.pending).toBe(0);
    poller.now();
    expect(looks).toHaveLength(4);
    await poller.stop();
  });

  it('runs work beside looks, and looks again for the room that it leaves', async () => {
    const { look, ends } = slowLooks();
    const { poller } = open(look);
    let finish = (): void => undefined;
    poller.now();
    poller.begin(new Promise((resolve) => (finish = resolve)), true);
    ends[0]?.();
    await yieldToEventLoop();
    expect([poller.running, ends.length]).toEqual([1, 1]);
    finish();
    await yieldToEventLoop();
    expect([poller.running, ends.length]).toEqual([0, 2]);
    poller.begin(Promise.resolve(), false);
    await yieldToEventLoop();
    expect([poller.running, ends.length]).toEqual([0, 2]);
    ends[1]?.();
    await poller.stop();
  });

  it('begins nothing once it is stopped, and waits for what runs', async () => {
    const { look, ends } = slowLooks();
    const { clock, poller } = open(look);
    const events: string[] = [];
    let finish = (): void => undefined;
    poller.now();
    poller.now();
    poller.begin(new Promise((resolve) => (finish = resolve)), true);
    const stopped = poller.stop().then(() => events.push('stopped'));
    poller.now();
    poller.later();
    ends[0]?.();
    await yieldToEventLoop();
    expect(events).toEqual([]);
    finish();
    await stopped;
    expect([events, ends.length, clock.pending]).toEqual([['stopped'], 1, 0]);
    expect(poller.isStopped).toBe(true);
  });
});
