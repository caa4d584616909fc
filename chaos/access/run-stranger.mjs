import { apiAt, countAccess, sleep } from '../load/world.mjs';

/** @typedef {import('../types.js').World} World */

/** Milliseconds between two wrong credentials: more than a hundred in the minute that a server counts. */
const KNOCK_MS = 250;

const ANSWER_MS = 15_000;

/**
 * Sends wrong credentials from the address that everybody has, to each API in turn: keys, tokens with a signature of
 * somebody else, and callbacks of log-ins that nobody began. Each is refused, and nobody else notices.
 *
 * @param {World} world of the kit
 * @param {import('./start-issuers.mjs').Issuers} issuers
 * @param {number} stopAt
 */
export async function runStranger(world, { issuers }, stopAt) {
  const [issuer] = issuers;
  for (let turn = 0; Date.now() < stopAt; turn += 1) {
    const wrong = String(turn).padStart(16, '0');
    const token = (await issuer?.sign(`nobody-${turn}`, 60)) ?? '';
    const credentials = [
      `Bearer tpk_${wrong}_${'w'.repeat(43)}`,
      `Bearer ${token.slice(0, -20)}${'A'.repeat(20)}`,
      undefined,
    ];
    const authorization = credentials[turn % credentials.length];
    const path =
      authorization === undefined
        ? `/console/login/callback?state=${wrong}&code=${wrong}`
        : '/api/harness/sessions';
    const status = await knock(apiAt(world, turn) + path, authorization);
    if (status !== undefined && status < 300) {
      const note = `${path} with a wrong credential: ${status}`;
      world.tally.violations.push({ kind: 'foreign-read', turnId: '', note });
    }
    if (status === 429) countAccess(world.tally, 'wrong credentials refused by their number');
    else if (status !== undefined) countAccess(world.tally, 'wrong credentials refused');
    await sleep(KNOCK_MS);
  }
}

/**
 * @param {string} url
 * @param {string | undefined} authorization
 * @returns {Promise<number | undefined>} undefined: the API is down
 */
async function knock(url, authorization) {
  try {
    const answer = await fetch(url, {
      redirect: 'manual',
      signal: AbortSignal.timeout(ANSWER_MS),
      headers: { connection: 'close', ...(authorization === undefined ? {} : { authorization }) },
    });
    await answer.text();
    return answer.status;
  } catch {
    return undefined;
  }
}
