/** Points that usage must fall under a mark before the mark counts again. */
const HYSTERESIS = 10;

/** A mark that usage has risen to, and how often it has so far. */
export interface ThresholdCrossing {
  mark: number;
  /** From 1. */
  time: number;
}

/**
 * The mark that usage last rose to and has not fallen from: the highest one, where it passed several
 * at once. A mark counts again once usage was ten points under it. Pure: whoever says it remembers
 * that it was said.
 *
 * @param readings in percent, oldest first.
 * @param marks in percent, lowest first.
 */
export function thresholdsCrossed(
  readings: readonly number[],
  marks: readonly number[],
): ThresholdCrossing | undefined {
  const times = new Map<number, number>();
  let said = 0;
  let risen: ThresholdCrossing | undefined;
  for (const reading of readings) {
    if (reading <= said - HYSTERESIS) {
      said = marks.findLast((mark) => mark <= said && reading > mark - HYSTERESIS) ?? 0;
      risen = undefined;
    }
    const reached = marks.findLast((mark) => reading >= mark) ?? 0;
    if (reached <= said) continue;
    const time = (times.get(reached) ?? 0) + 1;
    times.set(reached, time);
    risen = { mark: reached, time };
    said = reached;
  }
  return risen;
}
