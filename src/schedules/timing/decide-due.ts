import type { Slots } from './slots.js';

/** Most missed slots that are counted: more are told as this many. */
export const MOST_MISSED = 1_000;

/** Missed slots: the first, how many, and the slot after the last. Times in ms since the epoch. */
export interface Missed {
  first: number;
  count: number;
  until: number;
}

/** What is due of a schedule. Times in ms since the epoch. */
export interface Due {
  /** The slot that is to run; undefined: none is young enough. */
  slot: number | undefined;
  /** Absent: none. */
  missed?: Missed;
  /** The first slot that is not due yet. */
  next: number;
}

interface DueSchedule {
  slots: Pick<Slots, 'after'>;
  /** The first slot without an outcome. */
  nextAt: number;
  /** Age up to which a slot is still run. */
  catchUpMs: number;
}

/**
 * Decides what runs, also after a time in which nothing could: the newest slot alone, if it is young enough. Slots
 * are counted from slots, never from `now`. Pure.
 *
 * @throws RangeError where the schedule has no further slot.
 */
export function decideDue({ slots, nextAt, catchUpMs }: DueSchedule, now: number): Due {
  if (nextAt > now) return { slot: undefined, next: nextAt };
  const oldest = now - catchUpMs;
  let slot: number | undefined;
  let next = nextAt >= oldest ? nextAt : slots.after(oldest - 1);
  while (next <= now) {
    slot = next;
    next = slots.after(slot);
  }
  const until = slot ?? next;
  if (nextAt === until) return { slot, next };
  return { slot, next, missed: { first: nextAt, count: countSlots(slots, nextAt, until), until } };
}

function countSlots(slots: Pick<Slots, 'after'>, first: number, until: number): number {
  let count = 0;
  for (let at = first; at < until && count < MOST_MISSED; at = slots.after(at)) count += 1;
  return count;
}
