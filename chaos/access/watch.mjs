import { nameOf, withName } from '../plan/turn-names.mjs';
import { createSession } from '../load/begin-session.mjs';
import { runTurn } from '../load/run-turn.mjs';
import { sleep, worldFor } from '../load/world.mjs';

/** @typedef {import('../types.js').Person} Person */
/** @typedef {import('../types.js').World} World */

/** Milliseconds of a step of a long turn. */
const STEP_MS = 10_000;

/** Milliseconds between two tokens. */
const GAP_MS = 500;

/** Milliseconds of a long turn: a stream of one who has a page token ends by its time, a minute late. */
const LONG_MS = 100_000;

/** Milliseconds before the end of the load at which the last turns begin: no fault ends their streams. */
const LAST_MS = 3_000;

/** Milliseconds that a run with long turns goes on after its load. */
export const WATCH_MS = 2 * LONG_MS;

/**
 * @typedef {object} Watching
 * @property {number} stopAt
 * @property {() => number} takeIndex of the next turn
 * @property {(history: import('../types.js').TurnHistory, of: World) => Promise<void>} onTurn
 */

/**
 * Reads turns that are longer than any token of their readers: one at the beginning of the load, whose streams have
 * faults, and one at its end, whose streams end with their tokens alone. All of one who leaves in between is one.
 *
 * @param {World} world
 * @param {import('./people.mjs').People} people
 * @param {Watching} watching
 */
export async function watch(world, { staying, leaver }, watching) {
  await Promise.all([
    ...staying.map((person) => watchAs(worldFor(world, person), watching)),
    watchOnce(worldFor(world, leaver), watching),
  ]);
}

/**
 * @param {World} own
 * @param {Watching} watching
 */
async function watchAs(own, watching) {
  await Promise.all([
    watchOnce(own, watching),
    sleep(watching.stopAt - LAST_MS - Date.now()).then(() => watchOnce(own, watching)),
  ]);
}

/**
 * @param {World} own
 * @param {Watching} watching
 */
async function watchOnce(own, { takeIndex, onTurn }) {
  const index = takeIndex();
  const session = await createSession(own, index);
  const name = nameOf(index);
  own.lines.set(name, []);
  const history = await runTurn(own, planWatch(index), { sessionId: session.sessionId });
  if (history === undefined) {
    session.isUnsure = true;
    return;
  }
  session.line.push({ name, turnId: history.turnId });
  await onTurn(history, own);
}

/**
 * @param {number} index
 * @returns {import('../types.js').TurnPlan}
 */
function planWatch(index) {
  const steps = LONG_MS / STEP_MS;
  const text = `[[tokens=${STEP_MS / GAP_MS} gap=${GAP_MS} first=0]]`;
  return {
    index,
    kind: 'read',
    message: withName(nameOf(index), `${text} [[loop=${steps} tool=glob {"pattern":"*$i"}]]`),
    onDisconnect: 'continue',
    cutsAfter: [],
    joinsAfter: undefined,
    interruptAfter: undefined,
    abandonAfter: undefined,
    repeatPost: 'never',
    pauseMs: 0,
    mayFail: false,
  };
}
