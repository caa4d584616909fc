const MINUTE_MS = 60_000;
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
