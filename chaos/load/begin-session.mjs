import { mkdtemp } from 'node:fs/promises';
import path from 'node:path';
import { sendJson } from './send-json.mjs';
import { forkedLine } from './session-lines.mjs';

/** @typedef {import('../types.js').ChaosSession} ChaosSession */
/** @typedef {import('../types.js').World} World */

/**
 * @param {World} world
 * @param {number} index
 * @returns {Promise<ChaosSession>}
 */
export async function createSession(world, index) {
  const projectRoot = await mkdtemp(path.join(world.projects, `${index}-`));
  const { status, body } = await sendJson(world, {
    route: 'POST session',
    method: 'POST',
    path: '/api/harness/session/create',
    body: { projectRoot, persona: world.persona },
  });
  if (status !== 200) throw new Error(`No session: ${status} ${JSON.stringify(body)}`);
  return begin(world, body['session'].sessionId, []);
}

/**
 * Forks a session at a turn of its line.
 *
 * @param {World} world
 * @param {ChaosSession} source
 * @param {import('./session-lines.mjs').ForkPoint} point `isContested`: two clients send the request, with one key
 * @returns {Promise<ChaosSession | undefined>} undefined: it was refused, which the tally counts
 */
export async function forkSession(world, source, { at, position, isContested }) {
  const wanted = {
    route: 'POST fork',
    method: /** @type {const} */ ('POST'),
    path: `/api/harness/sessions/${source.sessionId}/fork`,
    key: `fork-${source.sessionId}`,
    body: { turnId: at.turnId, position },
  };
  const clients = isContested ? 2 : 1;
  const answers = await Promise.all(Array.from({ length: clients }, () => sendJson(world, wanted)));
  const { violations } = world.tally;
  for (const { status, body } of answers) {
    if (status === 200 || (status === 401 && world.person?.leaves === true)) continue;
    const note = `fork of ${source.sessionId}: ${status} ${JSON.stringify(body)}`;
    violations.push({ kind: 'bad-answer', turnId: at.turnId, note });
  }
  const ids = answers.flatMap(({ status, body }) =>
    status === 200 ? [String(body['session'].sessionId)] : [],
  );
  const [sessionId, ...others] = new Set(ids);
  if (others.length > 0) {
    const note = `one key, the forks ${[sessionId, ...others].join(', ')}`;
    violations.push({ kind: 'key-ignored', turnId: at.turnId, note });
  }
  if (sessionId === undefined) return undefined;
  return begin(world, sessionId, forkedLine(source, { at, position }));
}

/**
 * @param {World} world
 * @param {string} sessionId
 * @param {ChaosSession['line']} line
 */
function begin(world, sessionId, line) {
  const owner = world.person?.principal;
  const session = { sessionId, line, isUnsure: false, ...(owner === undefined ? {} : { owner }) };
  world.sessions.push(session);
  return session;
}
