/** @typedef {import('../types.js').Tally} Tally */
/** @typedef {import('../types.js').World} World */

/** @returns {Tally} */
export function emptyTally() {
  return {
    answers: new Map(),
    access: new Map(),
    brokenConnections: 0,
    stalls: 0,
    reconnectMs: [],
    violations: [],
  };
}

/**
 * @param {Tally} tally
 * @param {string} route
 * @param {number | 'broken'} status
 */
export function countAnswer(tally, route, status) {
  const name = `${route} ${status}`;
  tally.answers.set(name, (tally.answers.get(name) ?? 0) + 1);
}

/**
 * Counts what had to do with tokens.
 *
 * @param {Tally} tally
 * @param {string} name
 */
export function countAccess({ access }, name) {
  access.set(name, (access.get(name) ?? 0) + 1);
}

/**
 * The same world for the clients of a person: what changes in one changes in both.
 *
 * @param {World} world
 * @param {import('../types.js').Person | undefined} person undefined: whoever the world has
 * @returns {World}
 */
export function worldFor(world, person) {
  return person === undefined ? world : Object.assign(Object.create(world), { person });
}

/** @param {number} ms */
export function sleep(ms) {
  return new Promise((/** @type {(value: void) => void} */ resolve) => setTimeout(resolve, ms));
}

/**
 * The next API in turn, so that a reconnecting client meets a different process.
 *
 * @param {World} world
 * @param {number} turn the number of the request
 */
export function apiAt({ apis }, turn) {
  const urls = apis();
  const url = urls[turn % urls.length];
  if (url === undefined) throw new Error('There is no API');
  return url;
}
