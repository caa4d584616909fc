import { sendJson } from '../load/send-json.mjs';
import { countAccess, sleep, worldFor } from '../load/world.mjs';

/** @typedef {import('../types.js').Person} Person */
/** @typedef {import('../types.js').World} World */

/** Milliseconds between two ends of access of people with page tokens, who come back with new ones. */
const PAGES_MS = 12_000;

/** Milliseconds between two requests of the person who left. */
const KNOCK_MS = 1_000;

/** Milliseconds after which every process refuses a person who left. */
export const KNOWN_MS = 5_000;

/**
 * Ends the access of one person in the middle of the load, for good, and now and then that of a person with page
 * tokens, who gets a new one.
 *
 * @param {World} world of the kit
 * @param {import('./people.mjs').People} people
 * @param {{ startAt: number, stopAt: number }} options
 */
export async function endAccess(world, { leaver, pages }, { startAt, stopAt }) {
  const leave = async () => {
    await sleep((startAt + stopAt) / 2 - Date.now());
    leaver.leaves = true;
    await end(world, leaver);
    await knock(worldFor(world, leaver), stopAt);
  };
  const goOn = async () => {
    for (let round = 0; Date.now() + PAGES_MS < stopAt; round += 1) {
      await sleep(PAGES_MS);
      const page = pages[round % pages.length];
      if (page !== undefined) await end(world, page);
      page?.renew();
    }
  };
  await Promise.all([leave(), goOn()]);
}

/**
 * @param {World} world
 * @param {Person} person
 */
async function end(world, person) {
  // A server may have done it before its answer comes.
  person.endedAt = Date.now();
  const { status, body } = await sendJson(world, {
    route: 'DELETE access',
    method: 'DELETE',
    path: `/api/admin/principals/${encodeURIComponent(person.principal)}/access`,
  });
  if (status !== 200) throw new Error(`Access was not ended: ${status} ${JSON.stringify(body)}`);
  person.endedAt = Date.now();
}

/**
 * Sends the token of a person who left, again and again.
 *
 * @param {World} world
 * @param {number} stopAt
 */
async function knock(world, stopAt) {
  await sleep(KNOWN_MS);
  while (Date.now() < stopAt) {
    const path = '/api/harness/usage';
    const { status } = await sendJson(world, { route: 'GET as leaver', method: 'GET', path });
    if (status === 401) countAccess(world.tally, 'requests of the leaver refused');
    else {
      const note = `GET ${path} as the person who left: ${status}`;
      world.tally.violations.push({ kind: 'access-outlived', turnId: '', note });
    }
    await sleep(KNOCK_MS);
  }
}
