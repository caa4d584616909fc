import { planBranch } from '../plan/plan-branch.mjs';
import { askForeign } from '../access/ask-foreign.mjs';
import { watch } from '../access/watch.mjs';
import { seededRandom } from '../plan/random.mjs';
import { planTurn } from '../plan/plan-turn.mjs';
import { nameOf } from '../plan/turn-names.mjs';
import { createSession, forkSession } from './begin-session.mjs';
import { runTurn } from './run-turn.mjs';
import { SessionLines } from './session-lines.mjs';
import { worldFor } from './world.mjs';

/** @typedef {import('../types.js').TurnHistory} TurnHistory */
/** @typedef {import('../types.js').World} World */

/** How many turns run in a session, one after the other, before it branches. */
const TURNS_PER_SESSION = 3;

/**
 * Runs turns, `atOnce` at a time, until `stopAt`, and brings each to its end. With `people`, each client is one of
 * them; two more are the one who leaves, and some watch long turns.
 *
 * @param {World} world
 * @param {object} options
 * @param {number} options.seed
 * @param {number} options.atOnce
 * @param {number} options.stopAt no turn begins after it
 * @param {(history: TurnHistory, of: World) => Promise<void>} options.onTurn is waited for, with the client's world
 * @param {import('../access/people.mjs').People} [options.people]
 * @returns {Promise<number>} turns begun
 */
export async function runLoad(world, { seed, atOnce, stopAt, onTurn, people }) {
  let [turns, sessions] = [0, 0];
  const isTime = () => Date.now() < stopAt;
  const linesIn = (/** @type {World} */ own) =>
    new SessionLines({
      takeTurn: async (client, { line, ...place }) => {
        const plan = planTurn(seed, turns, client);
        turns += 1;
        const name = nameOf(plan.index);
        const before = line.map((one) => one.name);
        world.lines.set(name, before);
        const history = await runTurn(own, plan, place);
        await askForeign(own, seededRandom(seed, `foreign ${plan.index}`));
        if (history === undefined) return undefined;
        await onTurn(history, own);
        return { name, turnId: history.turnId };
      },
      fork: (session, point) => forkSession(own, session, point),
      isOver: () => !isTime(),
      violations: world.tally.violations,
    });
  const keepOneGoing = async (
    /** @type {number} */ client,
    /** @type {import('../types.js').Person | undefined} */ person,
  ) => {
    const own = worldFor(world, person);
    const lines = linesIn(own);
    while (isTime()) {
      const session = await createSession(own, turns).catch((error) => {
        if (person?.leaves === true) return undefined;
        throw error;
      });
      if (session === undefined) return;
      const plan = planBranch(seed, sessions);
      sessions += 1;
      for (let turn = 0; turn < TURNS_PER_SESSION && isTime(); turn += 1) {
        await lines.follow(session, client);
      }
      if (isTime()) await lines.branch(session, client, plan);
    }
  };
  const staying = people?.staying ?? [];
  const clients = Array.from({ length: atOnce }, (_, client) =>
    keepOneGoing(client, staying[client % staying.length]),
  );
  if (people !== undefined) {
    const takeIndex = () => (turns += 1) - 1;
    clients.push(...[0, 1].map((more) => keepOneGoing(atOnce + more, people.leaver)));
    clients.push(watch(world, people, { stopAt, takeIndex, onTurn }));
  }
  await Promise.all(clients);
  return turns;
}
