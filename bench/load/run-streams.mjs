import { setTimeout as delay } from 'node:timers/promises';

const goldenRatio = 0.618_033_988_75;

/**
 * The start of stream `index`, in ms: spread over the ramp, and evenly within a gap, so that the deltas of
 * all streams are not due in the same few milliseconds.
 *
 * @param {number} index
 * @param {{streams: number, gapMs: number, rampMs: number}} scenario
 */
export function startOffset(index, { streams, gapMs, rampMs }) {
  if (rampMs === 0) return 0;
  return (index * rampMs) / streams + ((index * goldenRatio) % 1) * gapMs;
}

/**
 * Runs `turns` turns, `streams` at a time.
 *
 * @template T
 * @param {{streams: number, gapMs: number, rampMs: number, turns: number}} scenario
 * @param {(turn: number) => Promise<T>} runOne
 * @returns {Promise<T[]>}
 */
export async function runStreams(scenario, runOne) {
  /** @type {T[]} */
  const results = [];
  let next = 0;
  const stream = async (/** @type {number} */ index) => {
    const offset = startOffset(index, scenario);
    if (offset > 0) await delay(offset);
    while (next < scenario.turns) results.push(await runOne(next++));
  };
  await Promise.all(Array.from({ length: scenario.streams }, (_, index) => stream(index)));
  return results;
}
