import { planBranch } from '../plan/plan-branch.mjs';
import { planTurn } from '../plan/plan-turn.mjs';
import { nameOf } from '../plan/turn-names.mjs';
import { createSession, forkSession } from './begin-session.mjs';
import { runTurn } from './run-turn.mjs';
import { SessionLines } from './session-lines.mjs';

/** @typedef {import('../types.js').TurnHistory} TurnHistory */
/** @typedef {import('../types.js').World} World */

/** How many turns run in a session, one after the other, before it branches. */
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
  let [turns, sessions] = [0, 0];
  const isTime = () => Date.now() < stopAt;
  const lines = new SessionLines({
    takeTurn: async (client, { line, ...place }) => {
      const plan = planTurn(seed, turns, client);
      turns += 1;
      const name = nameOf(plan.index);
      const before = line.map((one) => one.name);
      world.lines.set(name, before);
      const history = await runTurn(world, plan, place);
      if (history === undefined) return undefined;
      await onTurn(history);
      return { name, turnId: history.turnId };
    },
    fork: (session, point) => forkSession(world, session, point),
    isOver: () => !isTime(),
    violations: world.tally.violations,
  });
  const keepOneGoing = async (/** @type {number} */ client) => {
    while (isTime()) {
      const session = await createSession(world, turns);
      const plan = planBranch(seed, sessions);
      sessions += 1;
      for (let turn = 0; turn < TURNS_PER_SESSION && isTime(); turn += 1) {
        await lines.follow(session, client);
      }
      if (isTime()) await lines.branch(session, client, plan);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, (_, client) => keepOneGoing(client)));
  return turns;
}
