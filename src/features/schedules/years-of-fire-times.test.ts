import { describe, expect, it } from '@jest/globals';
import { decideDue, LocalClock, FireTimes } from './fire-times.js';

const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
const DAY_MS = 86_400_000;

/** Both hemispheres; changes of half an hour, and in Ramadan. */
const zones = ['America/New_York', 'Australia/Lord_Howe', 'Africa/Casablanca'];
/** Changes at midnight too, and zones that gave them up: `npm run test:release`. */
const moreZones = [
  'Pacific/Apia',
  'Europe/Berlin',
  'Asia/Kolkata',
  'America/Sao_Paulo',
  'Europe/Dublin',
  'America/Santiago',
  'Africa/Cairo',
  'Asia/Beirut',
  'Pacific/Chatham',
  'Antarctica/Troll',
];

/** Five years to come; and five in which Samoa left a day out, which `npm test` has for Samoa alone. */
const spans = [
  ...zones.map((tz) => [tz, 2026] as const),
  ['Pacific/Apia', 2009] as const,
  ...(process.env['TEST_RELEASE'] !== undefined
    ? [...zones, ...moreZones.slice(1)].map((tz) => [tz, 2009] as const)
    : []),
  ...(process.env['TEST_RELEASE'] !== undefined ? moreZones.map((tz) => [tz, 2026] as const) : []),
];

const expressions = [
  '30 2 * * *',
  '0 0 * * *',
  '30 1 * * 0',
  '15 0-4 * * *',
  '*/20 * * * *',
  '7 */3 1,15 * *',
  '59 23 * * 6',
  '0 3 29 2 *',
];

/** Matches a time on the wall, field by field, as the manual of cron says it. */
function isNamed(expression: string, wall: number): boolean {
  const [minute = '', hour = '', day = '', month = '', weekday = ''] = expression.split(' ');
  const at = new Date(wall);
  const inDay = fits(day, at.getUTCDate());
  const inWeek = fits(weekday, at.getUTCDay());
  const isDay = day === '*' || weekday === '*' ? inDay && inWeek : inDay || inWeek;
  const inMonth = fits(month, at.getUTCMonth() + 1);
  return fits(minute, at.getUTCMinutes()) && fits(hour, at.getUTCHours()) && inMonth && isDay;
}

function fits(field: string, value: number): boolean {
  return field.split(',').some((part) => {
    const [range = '', step = '1'] = part.split('/');
    if (range === '*') return value % Number(step) === 0;
    const [low = 0, high = low] = range.split('-').map(Number);
    return value >= low && value <= high && (value - low) % Number(step) === 0;
  });
}

/** Instants at which the zone changes its clocks. */
function changesOf(clock: LocalClock, from: number, to: number): number[] {
  const offset = (instant: number) => clock.wallAt(instant) - instant;
  const changes: number[] = [];
  for (let day = from; day < to; day += DAY_MS) {
    if (offset(day) === offset(day + DAY_MS)) continue;
    let [before, after] = [day, day + DAY_MS];
    while (after - before > MINUTE_MS) {
      const middle = before + Math.floor((after - before) / 2 / MINUTE_MS) * MINUTE_MS;
      if (offset(middle) === offset(day)) before = middle;
      else after = middle;
    }
    changes.push(after);
  }
  return changes;
}

/** A minute, and the times on the wall that have come with it: several where clocks go forward, none where back. */
interface LookedAt {
  instant: number;
  shown: number[];
}

/** What the clock shows around a change, looked at each minute. */
function lookAround(clock: LocalClock, from: number, to: number): LookedAt[] {
  const looked: LookedAt[] = [];
  let last = clock.wallAt(from);
  for (let instant = from + MINUTE_MS; instant <= to; instant += MINUTE_MS) {
    const wall = clock.wallAt(instant);
    const shown: number[] = [];
    for (let next = last + MINUTE_MS; next <= wall; next += MINUTE_MS) shown.push(next);
    last = Math.max(last, wall);
    looked.push({ instant, shown });
  }
  return looked;
}

describe.each(spans)('%s in five years from %i', (tz, year) => {
  const [from, to] = [Date.UTC(year, 0, 1), Date.UTC(year + 5, 0, 1)];
  const clock = new LocalClock(tz);

  it('has one fire time for each time, also where clocks are changed', () => {
    for (const change of changesOf(clock, from, to)) {
      const [low, high] = [change - 3 * HOUR_MS, change + 3 * HOUR_MS];
      const looked = lookAround(clock, low, high);
      for (const expression of expressions) {
        const fireTimes = new FireTimes(expression, tz);
        const found: number[] = [];
        for (let at = fireTimes.after(low); at <= high; at = fireTimes.after(at)) found.push(at);
        const expected = looked
          .filter(({ shown }) => shown.some((wall) => isNamed(expression, wall)))
          .map(({ instant }) => instant);
        expect([expression, change, found]).toEqual([expression, change, expected]);
      }
    }
  });

  it('has one fire time a day of a daily schedule, each later than the one before', () => {
    const fireTimes = new FireTimes('30 2 * * *', tz);
    const days: number[] = [];
    let last = from;
    while (last < to) {
      const fireAt = fireTimes.after(last);
      expect(fireAt).toBeGreaterThan(last);
      expect(fireAt - last).toBeLessThanOrEqual(DAY_MS + 3 * HOUR_MS);
      days.push(Math.floor(clock.wallAt(fireAt) / DAY_MS));
      last = fireAt;
    }
    // The time of the day that Samoa left out has its fire time at the first minute of the day after it.
    const isLeftOut = tz === 'Pacific/Apia' && year === 2009;
    expect(days.length - new Set(days).size).toBe(isLeftOut ? 1 : 0);
    expect(days.length).toBeGreaterThanOrEqual(5 * 365);
  });

  it('runs a fire time once or reports it as missed, whatever stops the ticks and sets the clocks', () => {
    const fireTimes = new FireTimes('20,40 2 * * *', tz);
    const random = seeded(year + tz.length);
    let nextAt = fireTimes.after(from);
    let now = from;
    let seen = 0;
    while (now < to) {
      // Mostly hours, now and then an outage, and clocks that are set back.
      const step = random();
      now += step < 0.05 ? -HOUR_MS : (step < 0.95 ? 0.2 : 60) * DAY_MS * random();
      const due = decideDue({ fireTimes, nextAt, catchUpMs: 7 * HOUR_MS }, now);
      if (now < nextAt) {
        expect(due).toEqual({ fireAt: undefined, next: nextAt });
        continue;
      }
      const passed: number[] = [];
      for (let at = nextAt; at <= now; at = fireTimes.after(at)) passed.push(at);
      const newest = passed.at(-1) ?? 0;
      const isYoung = now - newest <= 7 * HOUR_MS;
      expect(due.fireAt).toBe(isYoung ? newest : undefined);
      expect(due.missed?.count ?? 0).toBe(passed.length - (isYoung ? 1 : 0));
      expect(due.next).toBe(fireTimes.after(newest));
      expect(due.next).toBeGreaterThan(now);
      seen += passed.length;
      nextAt = due.next;
    }
    expect(seen).toBeGreaterThan(3_000);
  });
});

/** Numbers from 0 to 1, the same for each seed. */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return state / 2_147_483_648;
  };
}
