import { sendJson } from './send-json.mjs';
import { sleep } from './world.mjs';

/** @typedef {import('../types.js').World} World */

/** The schedules of a run: every minute, in sessions of their own and in one session. */
const keys = /** @type {const} */ ({
  allow: 'every-new',
  skip: 'every-skip',
  queueOne: 'every-one',
});

/** Milliseconds between two triggers. */
const TRIGGER_MS = 1_500;

/** The schedule that is triggered beside its fire times. */
export const TRIGGERED = keys.allow;

/** Keys of schedules whose slots may be skipped. @type {readonly string[]} */
export const mayBeSkipped = [keys.skip, keys.queueOne];

/**
 * Puts the schedules, and triggers one of them again and again until `stopAt`: each time by two clients with one key.
 *
 * @param {World} world
 * @param {{ sessionId: string, stopAt: number }} options `sessionId` of all turns of one of the schedules
 * @returns {Promise<{ triggerKey: string, turnId: string }[]>} what was acknowledged
 */
export async function runSchedules(world, { sessionId, stopAt }) {
  for (const [overlap, key] of Object.entries(keys)) {
    const session = overlap === 'queueOne' ? sessionId : 'new';
    const message = 'Scheduled. [[tokens=20 gap=20]]';
    const body = { cron: '* * * * *', tz: 'UTC', session, message, overlap };
    const path = `/api/harness/schedules/${key}`;
    await insist(world, { route: 'PUT schedule', method: 'PUT', path, body });
  }
  const acknowledged = [];
  for (let index = 0; Date.now() < stopAt; index += 1) {
    const triggerKey = `trigger-${index}`;
    const path = `/api/harness/schedules/${TRIGGERED}/trigger`;
    const wanted = { route: 'POST trigger', method: /** @type {const} */ ('POST'), path };
    const both = [1, 2].map(() => insist(world, { ...wanted, key: triggerKey }));
    for (const body of await Promise.all(both)) {
      acknowledged.push({ triggerKey, turnId: String(body['run'].turnId) });
    }
    await sleep(TRIGGER_MS);
  }
  return acknowledged;
}

/**
 * Has nothing more submitted.
 *
 * @param {World} world
 */
export async function pauseSchedules(world) {
  for (const key of Object.values(keys)) {
    const path = `/api/harness/schedules/${key}/pause`;
    await insist(world, { route: 'POST pause', method: 'POST', path });
  }
}

/**
 * @param {World} world
 * @param {import('./send-json.mjs').JsonRequest} wanted
 */
async function insist(world, wanted) {
  const { status, body } = await sendJson(world, wanted);
  if (status < 300) return body;
  throw new Error(`${wanted.route} was refused: ${status} ${JSON.stringify(body)}`);
}
