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
 * Runs all conversations, `streams` at a time, each turn by turn.
 *
 * @template T
 * @param {{streams: number, gapMs: number, rampMs: number, turns: number, turnsOfSession?: number}} scenario
 * @param {(conversation: number) => Promise<() => Promise<T>>} begin resolves with what runs its next turn.
 * @returns {Promise<T[]>}
 */
export async function runStreams(scenario, begin) {
  /** @type {T[]} */
  const results = [];
  const { turns, turnsOfSession = 1 } = scenario;
  let next = 0;
  const stream = async (/** @type {number} */ index) => {
    const offset = startOffset(index, scenario);
    if (offset > 0) await delay(offset);
    while (next < turns / turnsOfSession) {
      const runNext = await begin(next++);
      for (let turn = 0; turn < turnsOfSession; turn += 1) results.push(await runNext());
    }
  };
  await Promise.all(Array.from({ length: scenario.streams }, (_, index) => stream(index)));
  return results;
}
