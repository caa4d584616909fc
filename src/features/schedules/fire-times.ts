import { Cron } from 'croner';

const MINUTE_MS = 60_000;

/** Five fields, and nothing else that the library takes: nicknames, seconds and dates are not for schedules. */
const fiveFields = /^[^\s@]+( [^\s@]+){4}$/;

/**
 * The instants, in ms since the epoch, at which the clock of a zone shows the times of a cron expression. A time
 * that is shown twice is one fire time, at its first; one that is never shown fires at the first minute after it.
 */
export class FireTimes {
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

  /** The first fire time after an instant. @throws RangeError: there is none. */
  after(instant: number): number {
    let wall = this.#clock.wallAt(instant);
    for (;;) {
      const next = this.#wallTimes.nextRun(new Date(wall));
      if (next === null) throw new RangeError('it names a time that never comes');
      wall = next.getTime();
      // A time that is shown for the second time has fired.
      const fireAt = this.#clock.firstAt(wall);
      if (fireAt > instant) return fireAt;
    }
  }

  /** The first fire times after an instant. */
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

/** Milliseconds until the next whole minute, when fire times become due. */
export function untilMinute(now: number): number {
  return MINUTE_MS - (now % MINUTE_MS);
}

const DAY_MS = 86_400_000;

/**
 * A time that the clock on a wall shows, as the milliseconds since the epoch that it would be in UTC. It says
 * nothing of the zone, may be shown twice when clocks go back, and never when they go forward.
 */
export type WallTime = number;

/** The clock of a time zone, to the minute. Pure but for the zone's rules, which Node brings. */
export class LocalClock {
  readonly #format: Intl.DateTimeFormat;

  /** @throws RangeError for a name that is no time zone's. */
  constructor(tz: string) {
    this.#format = new Intl.DateTimeFormat('en-US', {
      timeZone: tz,
      calendar: 'gregory',
      numberingSystem: 'latn',
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
    });
  }

  /** What the clock shows at an instant, in ms since the epoch. */
  wallAt(instant: number): WallTime {
    const shown = { year: 0, month: 1, day: 1, hour: 0, minute: 0 };
    for (const { type, value } of this.#format.formatToParts(instant)) {
      if (type in shown) shown[type as keyof typeof shown] = Number(value);
    }
    const { year, month, day, hour, minute } = shown;
    return Date.UTC(year, month - 1, day, hour, minute);
  }

  /**
   * The instant at which the clock shows a time: the first where it is shown twice, and the first minute after it
   * where it is never shown. A later time has never an earlier instant.
   */
  firstAt(wall: WallTime): number {
    // No zone is a day away from UTC, and none has changed its clocks twice in three days.
    const before = wall - this.#offsetAt(wall - DAY_MS);
    const after = wall - this.#offsetAt(wall + DAY_MS);
    const shown = [before, after].filter((instant) => this.wallAt(instant) === wall);
    if (shown.length > 0) return Math.min(...shown);
    return this.#firstBeyond(wall, Math.min(before, after), Math.max(before, after));
  }

  /** The first minute, after `low` and up to `high`, at which the clock shows more than `wall`. */
  #firstBeyond(wall: WallTime, low: number, high: number): number {
    let [under, over] = [low, high];
    while (over - under > MINUTE_MS) {
      const middle = under + Math.floor((over - under) / 2 / MINUTE_MS) * MINUTE_MS;
      if (this.wallAt(middle) > wall) over = middle;
      else under = middle;
    }
    return over;
  }

  #offsetAt(instant: number): number {
    return this.wallAt(instant) - instant;
  }
}

/** Most missed fire times that are counted: more are reported as this many. */
const MAX_MISSED = 1_000;

/** Missed fire times: the first, how many, and the fire time after the last. Times in ms since the epoch. */
export interface MissedRuns {
  first: number;
  count: number;
  until: number;
}

/** What is due of a schedule. Times in ms since the epoch. */
export interface DueRun {
  /** The fire time that is to run; undefined: none is young enough. */
  fireAt: number | undefined;
  /** Absent: none. */
  missed?: MissedRuns;
  /** The first fire time that is not due yet. */
  next: number;
}

interface DueSchedule {
  fireTimes: Pick<FireTimes, 'after'>;
  /** The first fire time without an outcome. */
  nextAt: number;
  /** Age up to which a fire time is still run. */
  catchUpMs: number;
}

/**
 * Decides what runs, also after a time in which nothing could: the newest fire time alone, if it is young enough.
 * Fire times are counted from fire times, never from `now`. Pure.
 *
 * @throws RangeError where the schedule has no further fire time.
 */
export function decideDue({ fireTimes, nextAt, catchUpMs }: DueSchedule, now: number): DueRun {
  if (nextAt > now) return { fireAt: undefined, next: nextAt };
  const oldest = now - catchUpMs;
  let fireAt: number | undefined;
  let next = nextAt >= oldest ? nextAt : fireTimes.after(oldest - 1);
  while (next <= now) {
    fireAt = next;
    next = fireTimes.after(fireAt);
  }
  const until = fireAt ?? next;
  if (nextAt === until) return { fireAt, next };
  return {
    fireAt,
    next,
    missed: { first: nextAt, count: countFireTimes(fireTimes, nextAt, until), until },
  };
}

function countFireTimes(fireTimes: Pick<FireTimes, 'after'>, first: number, until: number): number {
  let count = 0;
  for (let at = first; at < until && count < MAX_MISSED; at = fireTimes.after(at)) count += 1;
  return count;
}
