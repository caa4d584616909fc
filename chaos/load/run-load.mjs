import { mkdtemp } from 'node:fs/promises';
import path from 'node:path';
import { planTurn } from '../plan/plan-turn.mjs';
import { runTurn } from './run-turn.mjs';
import { sendJson } from './send-json.mjs';

/** @typedef {import('../types.js').TurnHistory} TurnHistory */
/** @typedef {import('../types.js').World} World */

/** How many turns run in a session, one after the other. */
const TURNS_PER_SESSION = 3;

/**
 * Runs turns, `atOnce` at a time, until `stopAt`, and brings each to its end.
 *
 * @param {World} world
 * @param {object} options
 * @param {number} options.seed
 * @param {number} options.atOnce
 * @param {number} options.stopAt no turn begins after it
 * @param {(history: TurnHistory) => Promise<void>} options.onTurn is waited for
 * @returns {Promise<number>} turns begun
 */
export async function runLoad(world, { seed, atOnce, stopAt, onTurn }) {
  let index = 0;
  const isTime = () => Date.now() < stopAt;
  const keepOneGoing = async () => {
    while (isTime()) {
      const sessionId = await createSession(world, index);
      for (let turn = 0; turn < TURNS_PER_SESSION && isTime(); turn += 1) {
        const plan = planTurn(seed, index);
        index += 1;
        const history = await runTurn(world, plan, sessionId);
        if (history !== undefined) await onTurn(history);
      }
    }
  };
  await Promise.all(Array.from({ length: atOnce }, keepOneGoing));
  return index;
}

/**
 * @param {World} world
 * @param {number} index
 * @returns {Promise<string>}
 */
async function createSession(world, index) {
  const projectRoot = await mkdtemp(path.join(world.projects, `${index}-`));
  const { status, body } = await sendJson(world, {
    route: 'POST session',
    method: 'POST',
    path: '/api/harness/session/create',
    body: { projectRoot, persona: world.persona },
  });
  if (status !== 200) throw new Error(`No session: ${status} ${JSON.stringify(body)}`);
  return body['session'].sessionId;
}
