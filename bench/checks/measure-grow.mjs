import { Agent } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { holdConversation } from '../load/hold-conversation.mjs';
import { openSessions } from '../load/open-sessions.mjs';
import { readTurn } from '../load/read-turn.mjs';
import { runStreams } from '../load/run-streams.mjs';
import { wires } from '../load/wires.mjs';
import { seenByModel, settleMs, startCpu } from '../measure/measure-run.mjs';
import { median } from '../measure/median-of.mjs';
import { startTarget } from '../processes/start-target.mjs';
import { chatTurn } from '../scenarios.mjs';

const sideBySide = 8;
/** The first turns have no others around them: many sessions bring their CPU above the clock's grain. */
const earlyThrough = 10;
const earlySessions = { quick: 24, whole: 48 };
/** Turns up to a later one, and after it, in each of eight sessions. */
const lateWindow = 10;
/** Turns of each session before anything is measured: the first thousand of a process cost more. */
const warmUpTurns = 20;
const ways = /** @type {const} */ (['one session at a time', 'eight side by side']);
/** Most CPU of a turn, as a multiple of the second's. @type {Record<number, {most: number, aim: number}>} */
const bounds = { 100: { most: 1.3, aim: 1.1 }, 400: { most: 1.8, aim: 1.3 } };

/** @typedef {{way: string, nth: number, cpu: number}} Cost of a turn, in ms. */

/**
 * Measures the CPU of the n-th turn of a conversation, of all processes of the product: up to it in one session
 * after the other, and after it in eight side by side. For the proxy, whose client sends the whole conversation,
 * it is what the conversation's bytes alone cost.
 *
 * @param {import('./finding.mjs').BenchContext} context @param {string} name of the target.
 * @returns {Promise<import('./finding.mjs').Finding[]>}
 */
export async function measureGrow({ setup, projectRoot, onStop, services, options, log }, name) {
  const nths = options.quick ? [2, 10, 50, 100] : [2, 10, 50, 100, 200, 400];
  const target = await startTarget(name, setup);
  onStop(target.stop);
  const agent = new Agent({ keepAlive: true });
  const count = earlySessions[options.quick ? 'quick' : 'whole'];
  const begin = () => beginConversations(target, { agent, projectRoot, count });
  /** @param {() => Promise<number>} work resolves with its turns. */
  const cpuOfTurn = async (work) => {
    await delay(settleMs);
    const own = target.processes.map((process) => [process.name, process.pid]);
    const spent = startCpu({
      ...Object.fromEntries(own),
      ...(target.usesServices ? services : {}),
    });
    const seen = await seenByModel(setup.modelUrl);
    const turns = await work();
    await delay(settleMs);
    const calls = (await seenByModel(setup.modelUrl)).requests - seen.requests;
    if (calls !== turns) throw new Error(`${turns} turns took ${calls} calls of the model`);
    return Object.values(spent()).reduce((total, ms) => total + ms, 0) / turns;
  };
  try {
    await runTurns(await begin(), warmUpTurns, sideBySide);
    /** @type {Cost[][]} */
    const rounds = [];
    for (let round = 1; round <= options.rounds; round += 1) {
      const costs = await climb(await begin(), nths, cpuOfTurn);
      const seen = costs.map(({ nth, cpu }) => `${nth}: ${cpu.toFixed(1)}`);
      log(`grow ${name} ${round}: CPU ms of turn ${seen.join(', ')}`);
      rounds.push(costs);
    }
    return describe(name, nths, rounds);
  } finally {
    agent.destroy();
    await target.stop();
  }
}

/**
 * Takes conversations from turn to turn, and measures those around each of `nths`.
 *
 * @param {Conversation[]} conversations @param {number[]} nths
 * @param {(work: () => Promise<number>) => Promise<number>} cpuOfTurn
 */
async function climb(conversations, nths, cpuOfTurn) {
  const [oneAtATime, beside] = ways;
  /** @type {Cost[]} */
  const costs = [];
  let done = 0;
  for (const nth of nths) {
    const isEarly = nth <= earlyThrough;
    const window = isEarly ? 1 : lateWindow;
    const some = isEarly ? conversations : conversations.slice(0, sideBySide);
    await runTurns(some, nth - window - done, sideBySide);
    costs.push({ way: oneAtATime, nth, cpu: await cpuOfTurn(() => runTurns(some, window, 1)) });
    const after = () => runTurns(some, window, sideBySide);
    costs.push({ way: beside, nth, cpu: await cpuOfTurn(after) });
    done = nth + window;
  }
  return costs;
}

/** @typedef {() => Promise<void>} Conversation runs its next turn. */

/**
 * @param {import('../processes/start-target.mjs').Target} target
 * @param {{agent: Agent, projectRoot: string, count: number}} options
 * @returns {Promise<Conversation[]>}
 */
async function beginConversations({ wire: wireName, url }, { agent, projectRoot, count }) {
  const wire = wires[wireName];
  if (wire === undefined) throw new Error(`There is no wire ${wireName}`);
  const sessions = wire.sessions ? await openSessions(url, count, projectRoot) : [];
  return Array.from({ length: count }, (_, index) => {
    const { ask, hear } = holdConversation({
      wire,
      sessionId: sessions[index] ?? '',
      turn: chatTurn,
    });
    return async () => {
      const { deltas } = chatTurn;
      const read = await readTurn({ wire, url, agent, body: ask(), deltas });
      if (read.error !== undefined || read.tally.seen !== deltas) {
        throw new Error(`A turn ended after ${read.tally.seen} deltas: ${read.error ?? 'well'}`);
      }
      hear(read);
    };
  });
}

/** @param {Conversation[]} conversations @param {number} turns of each @param {number} streams @returns {Promise<number>} of all. */
async function runTurns(conversations, turns, streams) {
  if (turns === 0) return 0;
  const all = conversations.length * turns;
  const load = { streams, turns: all, turnsOfSession: turns, gapMs: 0, rampMs: 0 };
  await runStreams(load, async (index) => conversations[index] ?? (async () => undefined));
  return all;
}

/** @param {string} name @param {number[]} nths @param {Cost[][]} rounds @returns {import('./finding.mjs').Finding[]} */
function describe(name, nths, rounds) {
  const [first = NaN] = nths;
  /** @param {Cost[]} costs @param {string} way @param {number} nth */
  const cpuIn = (costs, way, nth) =>
    costs.find((cost) => cost.way === way && cost.nth === nth)?.cpu ?? NaN;
  return ways.flatMap((way) =>
    nths.flatMap((nth) => {
      const value = median(rounds.map((costs) => cpuIn(costs, way, nth)));
      const finding = { what: `${name}: CPU of turn ${nth}, ${way}`, value, unit: 'ms' };
      const bound = name === 'proxy' ? undefined : bounds[nth];
      if (bound === undefined) return [finding];
      const ratios = rounds.map((costs) => cpuIn(costs, way, nth) / cpuIn(costs, way, first));
      const what = `${name}: CPU of turn ${nth} beside turn ${first}, ${way}`;
      return [finding, { what, value: median(ratios), unit: '×', ...bound }];
    }),
  );
}
