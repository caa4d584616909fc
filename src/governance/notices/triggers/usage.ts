import type { TriggerFacts, Trigger } from '../trigger.js';

const contextMarks = [70, 85, 95];
const resourceMarks = [85];
const rearms = 'when usage has fallen 10 points under the mark';

export const contextUsage: Trigger = {
  id: 'context-usage',
  description: "70, 85 or 95 % of the model's window is in use; the highest mark that was passed.",
  rearms,
  priority: 30,
  levels: ['step'],
  check: ({ readings, context: { tokens, window } }: TriggerFacts) => {
    const risen = thresholdsCrossed(
      readings.map(({ contextPercent }) => contextPercent),
      contextMarks,
    );
    if (risen === undefined) return [];
    const percent = Math.floor((tokens * 100) / window);
    const advice =
      risen.mark >= 95
        ? 'Finish now: what does not fit is lost.'
        : 'Read less, and less of it; keep what matters in your reply or in the todo list.';
    return [
      {
        mark: `context-usage:${risen.mark}#${risen.time}`,
        kind: 'context-usage',
        text: `${percent}% of the context window is in use (${count(tokens)} of ${count(window)} tokens). ${advice}`,
        metadata: { current_value: tokens, limit_value: window, percent, mark: risen.mark },
        seenByModel: true,
      },
    ];
  },
};

export const resourceUsage: Trigger = {
  id: 'resource-usage',
  description: "More than 85 % of the worker's memory, or of the project's disk, is in use.",
  rearms,
  priority: 31,
  levels: ['step'],
  check: ({ readings }: TriggerFacts) => [
    ...checkResource(
      'memory',
      'of the memory of this worker',
      readings.map((r) => r.memoryPercent),
    ),
    ...checkResource(
      'disk',
      "of the project's disk",
      readings.map((r) => r.diskPercent),
    ),
  ],
};

function checkResource(name: string, words: string, readings: readonly number[]) {
  const risen = thresholdsCrossed(readings, resourceMarks);
  if (risen === undefined) return [];
  const percent = Math.floor(readings.at(-1) ?? 0);
  return [
    {
      mark: `resource-usage:${name}#${risen.time}`,
      kind: 'resource-usage',
      text: `${percent}% ${words} is in use. Avoid work that needs more of it.`,
      metadata: { resource: name, percent },
      seenByModel: true,
    },
  ];
}

function count(value: number): string {
  return value.toLocaleString('en-US');
}

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
