import { describe, expect, it } from '@jest/globals';
import type { Clock } from '../../../platform/clock.js';
import { StallWatch } from './stall-watch.js';

/** Time moves only by `pass`; counts the timers ever made and those that wait. */
function manualClock() {
  let now = 1_000;
  let made = 0;
  const timers = new Map<number, { at: number; callback: () => void }>();
  const clock: Clock = {
    now: () => now,
    after: (delayMs, callback) => {
      const id = ++made;
      timers.set(id, { at: now + delayMs, callback });
      return () => timers.delete(id);
    },
  };
  const pass = (ms: number): void => {
    now += ms;
    for (const [id, timer] of timers) {
      if (timer.at > now || !timers.delete(id)) continue;
      timer.callback();
    }
  };
  return { clock, pass, made: () => made, pending: () => timers.size };
}

function watched(limitMs: number) {
  const time = manualClock();
  const stalls: number[] = [];
  const watch = new StallWatch(time.clock, limitMs, (stalledMs) => stalls.push(stalledMs));
  return { ...time, watch, stalls };
}

describe('StallWatch', () => {
  it('reports a silence that took the limit, once', () => {
    const { pass, stalls, pending } = watched(100);
    pass(99);
    expect(stalls).toEqual([]);
    pass(1);
    pass(500);
    expect(stalls).toEqual([100]);
    expect(pending()).toBe(0);
  });

  it('counts each silence from its own beginning, with one timer', () => {
    const { watch, pass, stalls, made } = watched(100);
    for (let piece = 0; piece < 50; piece++) {
      pass(10);
      watch.hasInput();
    }
    expect(stalls).toEqual([]);
    expect(made()).toBeLessThanOrEqual(6);
    pass(99);
    expect(stalls).toEqual([]);
    pass(1);
    expect(stalls).toEqual([100]);
  });

  it('leaves no timer behind', () => {
    const { watch, pass, stalls, pending } = watched(100);
    pass(60);
    watch.hasInput();
    pass(60);
    watch.stop();
    expect(pending()).toBe(0);
    pass(1_000);
    expect(stalls).toEqual([]);
  });
});
