/** Percentage points that usage must fall below a mark before the mark counts again. */
const HYSTERESIS = 10;

/** A mark that usage has reached, and how often so far. */
export interface ThresholdCrossing {
  mark: number;
  /** Count of times the mark was reached, from 1. */
  time: number;
}

/**
 * The mark that usage last reached and has not fallen from; of several reached at once, the highest. A mark
 * counts again once usage was ten points below it. Pure: the caller remembers what it has posted.
 *
 * @param readings usage in percent, oldest first.
 * @param marks thresholds in percent, lowest first.
 */
export function thresholdsCrossed(
  readings: readonly number[],
  marks: readonly number[],
): ThresholdCrossing | undefined {
  const times = new Map<number, number>();
  let reached = 0;
  let crossing: ThresholdCrossing | undefined;
  for (const reading of readings) {
    if (reading <= reached - HYSTERESIS) {
      reached = marks.findLast((mark) => mark <= reached && reading > mark - HYSTERESIS) ?? 0;
      crossing = undefined;
    }
    const highest = marks.findLast((mark) => reading >= mark) ?? 0;
    if (highest <= reached) continue;
    const time = (times.get(highest) ?? 0) + 1;
    times.set(highest, time);
    crossing = { mark: highest, time };
    reached = highest;
  }
  return crossing;
}
