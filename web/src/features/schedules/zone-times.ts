/** The zone of the viewer's own clock. */
export function viewerZone(): string {
  return new Intl.DateTimeFormat().resolvedOptions().timeZone;
}

/** The clock of a zone at a time: `Mon 2026-11-30 09:00`. Pure. @param at ISO-8601. */
export function formatInZone(at: string, tz: string): string {
  const format = new Intl.DateTimeFormat('en-GB', {
    timeZone: tz,
    weekday: 'short',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
  });
  const parts = new Map(format.formatToParts(new Date(at)).map(({ type, value }) => [type, value]));
  const [weekday, year, month] = [parts.get('weekday'), parts.get('year'), parts.get('month')];
  const [day, hour, minute] = [parts.get('day'), parts.get('hour'), parts.get('minute')];
  return `${weekday} ${year}-${month}-${day} ${hour}:${minute}`;
}

/**
 * The time on the viewer's clock, as far as it differs from that on the schedule's clock; undefined where
 * both show the same. Pure.
 */
export function viewersTime(at: string, tz: string, ownZone: string): string | undefined {
  const [there, here] = [formatInZone(at, tz), formatInZone(at, ownZone)];
  if (there === here) return undefined;
  const day = 'Mon 2026-11-30'.length;
  return there.slice(0, day) === here.slice(0, day) ? here.slice(day + 1) : here;
}

/** The zone if the browser knows it, else UTC: servers may know zones that are newer. Pure. */
export function knownZone(tz: string): string {
  try {
    return new Intl.DateTimeFormat('en-GB', { timeZone: tz }).resolvedOptions().timeZone;
  } catch (error) {
    if (error instanceof RangeError) return 'UTC';
    throw error;
  }
}
