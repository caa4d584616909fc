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
    return { param: 'cron', message: `'cron' ${whyNoTimes(cron, error)}` };
  }
}

const fields = [
  ['minute', '0 to 59'],
  ['hour', '0 to 23'],
  ['day of the month', '1 to 31'],
  ['month', '1 to 12, or JAN to DEC'],
  ['day of the week', '0 to 7 (0 and 7 are Sunday), or SUN to SAT'],
] as const;

function whyNoTimes(cron: string, error: unknown): string {
  const given = cron.trim().split(/ +/);
  if (given.length !== fields.length || /^@|[^\S ]/.test(cron)) {
    const names = fields.map(([name]) => name).join(', ');
    return `must have five fields, as '0 9 * * 1-5': ${names}`;
  }
  for (const [index, [name, range]] of fields.entries()) {
    const text = given[index] ?? '';
    // The others take any value, so that the fault is this field's.
    if (isCron(fields.map((_, other) => (other === index ? text : '*')).join(' '))) continue;
    return `has the ${name} '${text.slice(0, 60)}', which is not valid: write numbers from ${range}, as 1,5 or 1-5 (the lower one first) or */5`;
  }
  if (error instanceof RangeError) return `names a time that never comes, as 30 February`;
  return `is not valid: write five fields with one blank between two, as '0 9 * * 1-5'`;
}

function isCron(cron: string): boolean {
  try {
    return new Slots(cron, 'UTC') instanceof Slots;
  } catch {
    return false;
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
