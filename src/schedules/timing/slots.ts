import { Cron } from 'croner';
import { LocalClock } from './local-clock.js';

const MINUTE_MS = 60_000;

/** Five fields, and nothing else that the library takes: nicknames, seconds and dates are not for schedules. */
const fiveFields = /^[^\s@]+( [^\s@]+){4}$/;

/**
 * The instants, in ms since the epoch, at which the clock of a zone shows the times of a cron expression. A time
 * that is shown twice is one slot, at its first; a time that is never shown is a slot at the first minute after it.
 */
export class Slots {
  /** The expression on a clock that is never changed: its times are times on the wall. */
  readonly #wallTimes: Cron;
  readonly #clock: LocalClock;

  /**
   * @param cron minute, hour, day of the month, month, day of the week.
   * @param tz name of the IANA database.
   * @throws Error for what is neither.
   */
  constructor(cron: string, tz: string) {
    if (!fiveFields.test(cron)) throw new Error('it must have five fields');
    this.#wallTimes = new Cron(cron, { timezone: 'UTC', mode: '5-part', paused: true });
    this.#clock = new LocalClock(tz);
  }

  /** The first slot after an instant. @throws RangeError: there is none. */
  after(instant: number): number {
    let wall = this.#clock.wallAt(instant);
    for (;;) {
      const next = this.#wallTimes.nextRun(new Date(wall));
      if (next === null) throw new RangeError('it names a time that never comes');
      wall = next.getTime();
      // The times that are shown for the second time have had their slots.
      const slot = this.#clock.firstAt(wall);
      if (slot > instant) return slot;
    }
  }

  /** The first slots after an instant. */
  next(instant: number, count: number): number[] {
    const found: number[] = [];
    let last = instant;
    while (found.length < count) {
      last = this.after(last);
      found.push(last);
    }
    return found;
  }
}

/** Milliseconds until the next whole minute, when slots become due. */
export function untilMinute(now: number): number {
  return MINUTE_MS - (now % MINUTE_MS);
}
