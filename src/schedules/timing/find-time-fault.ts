import { Slots } from './slots.js';

export interface TimeFault {
  /** The field that is wrong. */
  param: 'cron' | 'tz';
  message: string;
}

/** What is wrong with a schedule's times; undefined: nothing. @param now in ms since the epoch. Pure. */
export function findTimeFault(cron: string, tz: string, now: number): TimeFault | undefined {
  if (!isTimeZone(tz)) {
    const message = "'tz' must be a time zone of the IANA database, as 'Europe/Berlin' or 'UTC'";
    return { param: 'tz', message };
  }
  try {
    new Slots(cron, tz).after(now);
    return undefined;
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    const message = `'cron' must have five fields, as '0 9 * * 1-5': minute, hour, day of the month, month, day of the week (${why.slice(0, 200)})`;
    return { param: 'cron', message };
  }
}

/** Offsets, as '+02:00', are none: a schedule follows a clock that people read. */
function isTimeZone(tz: string): boolean {
  if (!/^[A-Za-z]/.test(tz)) return false;
  try {
    return new Intl.DateTimeFormat('en-US', { timeZone: tz }).resolvedOptions().timeZone !== '';
  } catch (error) {
    if (error instanceof RangeError) return false;
    throw error;
  }
}
