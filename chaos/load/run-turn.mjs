import { readTurn } from './read-turn.mjs';
import { sendJson } from './send-json.mjs';
import { sleep } from './world.mjs';

/** @typedef {import('../types.js').TurnHistory} TurnHistory */
/** @typedef {import('../types.js').TurnPlan} TurnPlan */
/** @typedef {import('./read-turn.mjs').ReadPlan} ReadPlan */
/** @typedef {import('../types.js').World} World */

/** Milliseconds between two polls of a turn without readers. */
const LOOK_MS = 500;

/** Tools that the messages of the plan ask for. */
const tools = ['bash', 'glob'];

/**
 * Posts a turn, follows its plan until the turn has ended, and reads its log once more from the start.
 * Undefined if the turn was refused, which the tally counts.
 *
 * @param {World} world
 * @param {TurnPlan} plan
 * @param {{ sessionId: string, replaces?: string, mayLose?: boolean }} place `replaces`: the turn whose place it
 *   takes; `mayLose`: another turn may be faster
 * @returns {Promise<TurnHistory | undefined>}
 */
export async function runTurn(world, plan, place) {
  const { sessionId } = place;
  const post = postOf(plan, place);
  /** @type {Promise<{ turnId: string | undefined, history: import('../types.js').ReaderHistory }>[]} */
  const others = [];
  /** @type {Promise<number | undefined> | undefined} */
  let interrupt;
  const join = (/** @type {Partial<ReadPlan> & { name: string }} */ reader) =>
    others.push(readTurn(world, { firstApi: plan.index + 1, ...reader }));
  if (plan.repeatPost === 'at-once') join({ name: 'at once', post });
  /** @type {string | undefined} */
  let turnId;
  const main = await readTurn(world, {
    name: 'first',
    firstApi: plan.index,
    post,
    cutsAfter: plan.cutsAfter,
    pauseMs: plan.pauseMs,
    leaveAfter: plan.abandonAfter,
    onAccepted: (id) => {
      turnId = id;
      world.active.add(id);
    },
    onFrame: (count) => {
      if (turnId !== undefined && count === plan.joinsAfter) join({ name: 'late', turnId });
      if (count === 3 && plan.repeatPost === 'later') join({ name: 'again', post });
      if (turnId !== undefined && count === plan.interruptAfter) {
        interrupt = interruptTurn(world, sessionId, turnId);
      }
    },
  });
  const beside = await Promise.all(others);
  const interruptedAt = await interrupt;
  // The tally counts refused turns.
  const reads = [main, ...beside].filter((read) => read.turnId !== undefined);
  const id = reads[0]?.turnId;
  if (id === undefined) return undefined;
  if (main.history.hasLeft) await waitForEnd(world, id);
  world.active.delete(id);
  return {
    plan,
    turnId: id,
    sessionId,
    postedAs: reads.flatMap((read) => read.turnId ?? []),
    readers: reads.map((read) => read.history),
    fresh: await readWhole(world, id),
    interruptedAt,
  };
}

/**
 * @param {TurnPlan} plan
 * @param {Parameters<typeof runTurn>[2]} place
 */
function postOf({ index, message, opts, onDisconnect, repeatPost }, place) {
  const { sessionId, replaces, mayLose = false } = place;
  const all = { tools, onDisconnect, ...opts, ...(replaces === undefined ? {} : { replaces }) };
  const body = JSON.stringify({ sessionId, message, opts: all });
  return { body, key: `chaos-${index}`, isRepeated: repeatPost !== 'never', mayLose };
}

/**
 * @param {World} world
 * @param {string} sessionId
 * @param {string} turnId
 * @returns {Promise<number | undefined>} when it was acknowledged; undefined: too late
 */
async function interruptTurn(world, sessionId, turnId) {
  const path = '/api/harness/interrupt';
  const wanted = { route: 'POST interrupt', method: /** @type {const} */ ('POST'), path };
  const { status, body } = await sendJson(world, { ...wanted, body: { sessionId } });
  return status === 200 && body['turnId'] === turnId ? Date.now() : undefined;
}

/**
 * Polls a turn without readers until it has ended; the checker reports one that has not.
 *
 * @param {World} world
 * @param {string} turnId
 */
async function waitForEnd(world, turnId) {
  const path = `/api/harness/turns/${turnId}`;
  while (Date.now() < world.giveUpAt) {
    const { body } = await sendJson(world, { route: 'GET turn', method: 'GET', path });
    if (!['held', 'queued', 'running', 'waiting'].includes(body['turn']?.status)) return;
    await sleep(LOOK_MS);
  }
}

/** How often the whole log is tried over one connection, while faults go on. */
const TRIES = 20;

/**
 * The whole log over one connection; undefined if every connection broke.
 *
 * @param {World} world
 * @param {string} turnId
 * @returns {Promise<import('../types.js').ReaderHistory | undefined>}
 */
export async function readWhole(world, turnId) {
  for (let attempt = 0; attempt < TRIES && Date.now() < world.giveUpAt; attempt += 1) {
    const { history } = await readTurn(world, { name: 'the log', firstApi: attempt, turnId });
    // Somebody whose access was ended reads nothing.
    if (history.hasLeft) return undefined;
    if (history.frames.every((frame) => frame.connection === 0)) return history;
  }
  return undefined;
}
