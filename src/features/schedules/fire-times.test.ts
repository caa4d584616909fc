import { describe, expect, it } from '@jest/globals';
import { findTimeFault } from './definition-checker.js';
import { FireTimes } from './fire-times.js';

const at = (time: string): number => Date.parse(time);
const shown = (instants: number[]) => instants.map((instant) => new Date(instant).toISOString());

describe('Slots', () => {
  it.each([
    // Clocks go forward: 02:30 is never shown, and 03:00 is the first minute after it.
    ['30 2 * * *', 'America/New_York', '2026-03-08T00:00:00Z', '2026-03-08T07:00:00.000Z'],
    ['15 0-4 * * *', 'America/New_York', '2026-03-08T06:20:00Z', '2026-03-08T07:00:00.000Z'],
    ['30 2 * * *', 'Europe/Berlin', '2026-03-29T00:00:00Z', '2026-03-29T01:00:00.000Z'],
    // Half an hour is left out.
    ['15 2 * * *', 'Australia/Lord_Howe', '2026-10-03T00:00:00Z', '2026-10-03T15:30:00.000Z'],
    // Midnight is left out.
    ['0 0 * * *', 'America/Sao_Paulo', '2018-11-03T12:00:00Z', '2018-11-04T03:00:00.000Z'],
    // A whole day is left out.
    ['0 12 30 12 *', 'Pacific/Apia', '2011-12-01T00:00:00Z', '2011-12-30T10:00:00.000Z'],
    // Clocks go back: 01:30 is shown twice.
    ['30 1 * * *', 'America/New_York', '2026-11-01T00:00:00Z', '2026-11-01T05:30:00.000Z'],
    ['30 1 * * *', 'America/New_York', '2026-11-01T05:30:00Z', '2026-11-02T06:30:00.000Z'],
    ['*/20 * * * *', 'America/New_York', '2026-11-01T05:40:00Z', '2026-11-01T07:00:00.000Z'],
    // Either day counts where both are given.
    ['0 9 13 * 5', 'UTC', '2026-11-09T00:00:00Z', '2026-11-13T09:00:00.000Z'],
    ['0 9 14 * 5', 'UTC', '2026-11-13T09:00:00Z', '2026-11-14T09:00:00.000Z'],
    ['0 0 29 2 *', 'UTC', '2026-11-01T00:00:00Z', '2028-02-29T00:00:00.000Z'],
  ])('%s in %s after %s is at %s', (cron, tz, after, expected) => {
    expect(shown(new FireTimes(cron, tz).next(at(after), 1))).toEqual([expected]);
  });

  it('has no fire time for a date that never comes', () => {
    const fireTimes = new FireTimes('0 0 30 2 *', 'UTC');
    expect(() => fireTimes.after(at('2026-01-01T00:00:00Z'))).toThrow('never comes');
  });
});

describe('findTimeFault', () => {
  const now = at('2026-01-01T00:00:00Z');

  it.each([
    ['0 9 * * 1-5', 'Europe/Berlin'],
    ['*/5 8-18 1,15 jan-mar MON', 'UTC'],
  ])('takes %s in %s', (cron, tz) => {
    expect(findTimeFault(cron, tz, now)).toBeUndefined();
  });

  it.each([
    ['0 9 * * *', 'Berlin', /^'tz' must be/],
    ['0 9 * * *', '+02:00', /^'tz' must be/],
    ['0 9 * * *', '', /^'tz' must be/],
    ['@daily', 'UTC', /five fields/],
    ['0 0 9 * * *', 'UTC', /five fields/],
    ['2026-01-01T09:00:00', 'UTC', /five fields/],
    ['61 9 * * *', 'UTC', /the minute '61', .* from 0 to 59/],
    ['0 22-2 * * *', 'UTC', /the hour '22-2', .* \(the lower one first\)/],
    ['0 9 0 * *', 'UTC', /the day of the month '0'/],
    ['0 9 * * nope', 'UTC', /the day of the week 'nope'/],
    ['0 9 30 2 *', 'UTC', /a time that never comes/],
    ['0 0 31 2 *', 'UTC', /never comes/],
  ])('says what is wrong with %j in %j', (cron, tz, expected) => {
    const fault = findTimeFault(cron, tz, now);
    expect(fault?.message).toMatch(expected);
    expect(fault?.message).toContain(fault?.param === 'tz' ? "'tz'" : "'cron'");
  });
});
