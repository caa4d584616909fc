import { openSessions } from '../load/open-sessions.mjs';
import { median } from '../measure/median-of.mjs';
import { startTarget } from '../processes/start-target.mjs';
import { followTurn, postTurn } from './read-frames.mjs';

const events = 10_000;
const times = 7;
const MAX_MS = 100;

/**
 * Measures how long a resuming reader takes to the end of a turn of 10,000 events, from the middle and from the
 * start, with the live log and, where the log can be dropped, with the archive.
 *
 * @param {import('./finding.mjs').BenchContext} context @param {string} name of the target.
 * @returns {Promise<import('./finding.mjs').Finding[]>}
 */
export async function measureResume({ setup, projectRoot, onStop, stores }, name) {
  const target = await startTarget(name, setup);
  onStop(target.stop);
  try {
    const [sessionId = ''] = await openSessions(target.url, 1, projectRoot);
    const ids = await makeTurn(target.url, sessionId);
    const turnId = ids[0]?.split(':')[0] ?? '';
    const measure = async (/** @type {string} */ from) => [
      await timeResume(
        { url: target.url, turnId, ids, at: Math.floor(ids.length / 2) },
        `${name}: middle to end, ${from}`,
      ),
      await timeResume({ url: target.url, turnId, ids, at: -1 }, `${name}: start to end, ${from}`),
    ];
    const findings = await measure('just ended');
    if (!target.usesServices || stores === undefined) return findings;
    await stores.dropKeys();
    return [...findings, ...(await measure('archive alone'))];
  } finally {
    await target.stop();
  }
}

/** Makes a turn with at least `events` frames. @param {string} url @param {string} sessionId */
async function makeTurn(url, sessionId) {
  // A busy machine merges deltas: a turn with too few frames is made again, longer.
  for (let deltas = events; deltas <= events * 4; deltas *= 2) {
    const ids = [];
    const message = `[[tokens=${deltas} gap=1]]`;
    for await (const { id } of postTurn(url, { sessionId, message })) if (id) ids.push(id);
    if (ids.length >= events) return ids;
  }
  throw new Error(`No turn came to ${events} events`);
}

/** @param {{url: string, turnId: string, ids: string[], at: number}} cut @param {string} what */
async function timeResume({ url, turnId, ids, at }, what) {
  const expected = ids.slice(at + 1);
  const taken = [];
  for (let time = 0; time < times; time += 1) {
    const started = performance.now();
    const seen = [];
    for await (const { id } of followTurn(url, turnId, ids[at])) if (id) seen.push(id);
    taken.push(performance.now() - started);
    if (seen.join() !== expected.join()) {
      throw new Error(`${what}: ${seen.length} frames came, not the ${expected.length} there are`);
    }
  }
  const value = median(taken);
  return { what, value, unit: 'ms', most: MAX_MS, note: `${expected.length} frames` };
}
