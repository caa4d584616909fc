import { once } from 'node:events';
import { request } from 'node:http';
import { text } from 'node:stream/consumers';

const atATime = 16;

/** @typedef {{url: string, projectRoot: string, agent?: import('node:http').Agent | undefined,
 *   authorization?: string | undefined}} Maker */

/** @param {Maker} maker @returns {Promise<string>} the id of a new session. */
export async function openSession({ url, projectRoot, agent, authorization }) {
  const call = request(`${url}/api/harness/session/create`, {
    method: 'POST',
    agent,
    headers: { 'content-type': 'application/json', ...(authorization && { authorization }) },
  });
  call.end(JSON.stringify({ projectRoot }));
  const [response] = await once(call, 'response');
  const answer = await text(response);
  if (response.statusCode !== 200) throw new Error(`A session was refused: ${answer}`);
  return JSON.parse(answer).session.sessionId;
}

/**
 * @param {string} url @param {number} count @param {string} projectRoot @param {string} [authorization]
 * @returns {Promise<string[]>} their ids.
 */
export async function openSessions(url, count, projectRoot, authorization) {
  /** @type {string[]} */
  const ids = [];
  let asked = 0;
  const worker = async () => {
    while (asked < count) {
      asked += 1;
      ids.push(await openSession({ url, projectRoot, authorization }));
    }
  };
  await Promise.all(Array.from({ length: atATime }, worker));
  return ids;
}
