import { describe, expect, it } from '@jest/globals';
import type { Clock } from '../../src/platform/clock.js';
import { shareTimer } from './play-reply.js';

/** A clock whose timers are fired by hand. */
function makeClock() {
  let now = 1_000;
  let timers: { at: number; callback: () => void }[] = [];
  const clock: Clock = {
    now: () => now,
    after: (delayMs, callback) => {
      const timer = { at: now + delayMs, callback };
      timers.push(timer);
      return () => void (timers = timers.filter((other) => other !== timer));
    },
  };
  const goTo = (time: number): void => {
    now = time;
    const due = timers.filter((timer) => timer.at <= now);
    timers = timers.filter((timer) => timer.at > now);
    for (const { callback } of due) callback();
  };
  return { clock, goTo, armed: () => timers.map((timer) => timer.at) };
}

describe('shareTimer', () => {
  it('arms one timer, for the first wait', () => {
    const { clock, goTo, armed } = makeClock();
    const shared = shareTimer(clock);
    const rang: string[] = [];
    shared.after(30, () => rang.push('c'));
    shared.after(10, () => rang.push('a'));
    shared.after(20, () => rang.push('b'));
    expect(armed()).toEqual([1_010]);
    goTo(1_010);
    expect([rang, armed()]).toEqual([['a'], [1_020]]);
    goTo(1_035);
    expect([rang, armed()]).toEqual([['a', 'b', 'c'], []]);
  });

  it('lets the event loop run before callbacks that a callback adds', () => {
    const { clock, goTo, armed } = makeClock();
    const shared = shareTimer(clock);
    let rounds = 0;
    const again = (): void => {
      rounds += 1;
      shared.after(0.1, again);
    };
    again();
    goTo(1_001);
    expect([rounds, armed()]).toEqual([2, [1_002]]);
  });

  it('waits no less than the delay, in whole milliseconds', () => {
    const { clock, armed } = makeClock();
    shareTimer(clock).after(4.2, () => undefined);
    expect(armed()).toEqual([1_005]);
  });

  it('cancels one wait of many, and the timer with the last', () => {
    const { clock, goTo, armed } = makeClock();
    const shared = shareTimer(clock);
    const rang: string[] = [];
    const ring = (): void => void rang.push('x');
    const first = shared.after(10, ring);
    const second = shared.after(10, ring);
    const third = shared.after(20, ring);
    first();
    first();
    expect(armed()).toEqual([1_010]);
    second();
    expect(armed()).toEqual([1_020]);
    third();
    expect(armed()).toEqual([]);
    goTo(1_050);
    expect(rang).toEqual([]);
  });

  it('cancels after the wait is over, without harm to a later one', () => {
    const { clock, goTo, armed } = makeClock();
    const shared = shareTimer(clock);
    const cancel = shared.after(10, () => undefined);
    goTo(1_010);
    shared.after(10, () => undefined);
    cancel();
    expect(armed()).toEqual([1_020]);
  });

  it('cancels a callback that is due at the same time', () => {
    const { clock, goTo } = makeClock();
    const shared = shareTimer(clock);
    const rang: string[] = [];
    let cancel = (): void => undefined;
    shared.after(10, () => cancel());
    cancel = shared.after(10, () => rang.push('cancelled'));
    goTo(1_010);
    expect(rang).toEqual([]);
  });
});
