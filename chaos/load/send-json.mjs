import { apiAt, countAccess, countAnswer, sleep } from './world.mjs';

/** @typedef {import('../types.js').World} World */

/** Milliseconds between two tries. */
const RETRY_MS = 200;

const ANSWER_MS = 15_000;

/**
 * Refusals in a row that are none of the server's faults: a process knows a second late that the tokens before were
 * ended. Their time says nothing, as a client waits for its next token while a service is away.
 */
export const MAX_REFUSALS = 50;

/**
 * @typedef {object} JsonRequest
 * @property {string} route its name in the tally
 * @property {'GET' | 'POST' | 'PUT' | 'DELETE'} method
 * @property {string} path
 * @property {object} [body]
 * @property {string} [key] `Idempotency-Key`
 *
 * @typedef {object} JsonAnswer
 * @property {number} status
 * @property {Record<string, any>} body
 */

/**
 * Sends a request for JSON to one API after the other, until an answer is no fault of the
 * infrastructure.
 *
 * @param {World} world
 * @param {JsonRequest} wanted
 * @returns {Promise<JsonAnswer>}
 */
export async function sendJson(world, wanted) {
  const { route, path } = wanted;
  const { person, tally } = world;
  let refusals = 0;
  for (let turn = Math.floor(Math.random() * 2); Date.now() < world.giveUpAt; turn += 1) {
    const token = await person?.credential();
    const answer = await tryOnce(apiAt(world, turn) + path, wanted, token?.authorization);
    countAnswer(world.tally, route, answer?.status ?? 'broken');
    if (answer !== undefined) {
      const violation = judgeAnswer(route, answer, person);
      if (violation !== undefined) world.tally.violations.push(violation);
      const isUnknown = answer.status === 401 && person !== undefined && !person.leaves;
      if (!isUnknown) {
        if (answer.status < 500 && answer.status !== 429) return answer;
        refusals = 0;
      } else {
        person.renew();
        countAccess(tally, 'requests refused until the next token');
        refusals += 1;
        if (refusals > MAX_REFUSALS) return answer;
      }
    } else refusals = 0;
    await sleep(RETRY_MS);
  }
  throw new Error(`${route} had no answer in time`);
}

/**
 * @param {string} url
 * @param {JsonRequest} wanted
 * @param {string | undefined} authorization
 * @returns {Promise<(JsonAnswer & { retryAfter: string | null }) | undefined>} undefined when the
 *   connection broke: the API is down
 */
async function tryOnce(url, { method, body, key }, authorization) {
  try {
    const response = await fetch(url, {
      method,
      signal: AbortSignal.timeout(ANSWER_MS),
      headers: {
        'content-type': 'application/json',
        connection: 'close',
        ...(key === undefined ? {} : { 'idempotency-key': key }),
        ...(authorization === undefined ? {} : { authorization }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    const retryAfter = response.headers.get('retry-after');
    return { status: response.status, body: text === '' ? {} : JSON.parse(text), retryAfter };
  } catch {
    return undefined;
  }
}

/**
 * A 5xx is allowed only with `Retry-After`. No person of the run comes to a limit: only what a stranger sends from the
 * address of all is too much.
 *
 * @param {string} route
 * @param {{ status: number, retryAfter: string | null, body?: unknown }} answer
 * @param {import('../types.js').Person} [person] who asked
 * @returns {import('../types.js').Violation | undefined}
 */
export function judgeAnswer(route, { status, retryAfter, body }, person) {
  if (status === 429 && person !== undefined && !person.leaves) {
    return { kind: 'locked-out', turnId: '', note: `${route} of ${person.principal}: 429` };
  }
  const mayRetry = [429, 503, 507].includes(status);
  if (status < 500 && !mayRetry) return undefined;
  if (mayRetry && retryAfter !== null) return undefined;
  const note = `${route}: ${status} ${mayRetry ? 'without Retry-After ' : ''}${JSON.stringify(body ?? '')}`;
  return { kind: 'bad-answer', turnId: '', note };
}
