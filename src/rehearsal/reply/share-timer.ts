import type { Clock } from '../../platform/clock.js';

/**
 * A clock whose callbacks share one timer of `clock`, to the millisecond. All callbacks that are due
 * run together, then the event loop goes on: the timers of a thousand streams, once late, would keep
 * it from reading sockets.
 */
export function shareTimer(clock: Clock): Clock {
  const waits = new Map<number, Set<() => void>>();
  let armedFor = Number.POSITIVE_INFINITY;
  let disarm = (): void => undefined;

  const arm = (): void => {
    const first = Math.min(...waits.keys());
    if (first === armedFor) return;
    disarm();
    armedFor = first;
    disarm =
      waits.size === 0 ? () => undefined : clock.after(Math.max(first - clock.now(), 1), run);
  };

  const run = (): void => {
    armedFor = Number.POSITIVE_INFINITY;
    const now = clock.now();
    const due = [...waits].filter(([at]) => at <= now).sort(([a], [b]) => a - b);
    for (const [at, callbacks] of due) {
      waits.delete(at);
      for (const callback of callbacks) callback();
    }
    arm();
  };

  return {
    now: () => clock.now(),
    after: (delayMs, callback) => {
      const at = Math.ceil(clock.now() + delayMs);
      // A function for each call: one callback may be added twice.
      const wait = (): void => callback();
      const together = waits.get(at) ?? new Set();
      waits.set(at, together.add(wait));
      if (at < armedFor) arm();
      return () => {
        together.delete(wait);
        if (together.size > 0 || waits.get(at) !== together) return;
        waits.delete(at);
        arm();
      };
    },
  };
}
