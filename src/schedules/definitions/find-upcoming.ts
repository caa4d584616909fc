import { LocalClock } from '../timing/local-clock.js';
import { Slots } from '../timing/slots.js';

/** A time at which a schedule is due. */
export interface UpcomingSlot {
  /** ISO-8601, UTC. */
  at: string;
  /** What the clock of the zone shows then: ISO-8601 to the minute, without an offset. */
  local: string;
}

/** The next slots after `now`, in ms since the epoch. Pure. */
export function findUpcoming(
  { cron, tz }: { cron: string; tz: string },
  now: number,
  count: number,
): UpcomingSlot[] {
  const clock = new LocalClock(tz);
  return new Slots(cron, tz).next(now, count).map((slot) => ({
    at: new Date(slot).toISOString(),
    local: new Date(clock.wallAt(slot)).toISOString().slice(0, 'yyyy-mm-ddThh:mm'.length),
  }));
}
