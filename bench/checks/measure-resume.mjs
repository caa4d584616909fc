import { openSessions } from '../load/open-sessions.mjs';
import { median } from '../measure/median-of.mjs';
import { startTarget } from '../processes/start-target.mjs';
import { followTurn, postTurn } from './read-frames.mjs';

const events = 10_000;
const times = 7;
const mostMs = 100;

/**
 * How long a reader that comes back takes to the end of a turn of 10,000 events: from its middle
 * and from its start, out of the live log and, where it can be dropped, out of the archive.
 *
 * @param {import('./finding.mjs').Ground} ground @param {string} name of the target.
 * @returns {Promise<import('./finding.mjs').Finding[]>}
 */
export async function measureResume({ place, projectRoot, onStop, stores }, name) {
  const target = await startTarget(name, place);
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

/** A turn with at least as many frames as events are wanted. @param {string} url @param {string} sessionId */
async function makeTurn(url, sessionId) {
  // Some deltas are merged on a busy machine: a turn that came out short is made again, longer.
  for (let deltas = events; deltas <= events * 4; deltas *= 2) {
    const ids = [];
    const message = `[[tokens=${deltas} gap=1]]`;
    for await (const { id } of postTurn(url, { sessionId, message })) if (id) ids.push(id);
    if (ids.length >= events) return ids;
  }
  throw new Error(`No turn came to ${events} events`);
}

/** @param {{url: string, turnId: string, ids: string[], at: number}} place @param {string} what */
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
  return { what, value, unit: 'ms', most: mostMs, note: `${expected.length} frames` };
}
