import { setTimeout as delay } from 'node:timers/promises';
import { openSessions } from '../load/open-sessions.mjs';
import { measureRun, settleMs, startCpu } from '../measure/measure-run.mjs';
import { median } from '../measure/median-of.mjs';
import { startTarget } from '../processes/start-target.mjs';
import { scenariosFor, warmUp } from '../scenarios.mjs';
import { postTurn } from './read-frames.mjs';
import { copyOfId, fillDatabase } from './fill-database.mjs';

const firstSessions = 10;
const turnsOfSession = 10;
const opensOfEach = 20;
const requests = firstSessions * opensOfEach;
const bound = { most: 1.1, aim: 1.05 };
const env = { TURNPIKE_MAX_SESSIONS: '10000000' };

/** @typedef {Record<string, number>} Figures by what was measured. */

/**
 * Measures what is done with a database of 100,000 sessions and a million turns, and with one that has ten sessions:
 * turns, new sessions, the first page of the list, a session that is opened, and housekeeping. With
 * --quick the database is a twentieth of that.
 *
 * @param {import('./finding.mjs').BenchContext} context
 * @returns {Promise<import('./finding.mjs').Finding[]>}
 */
export async function measureSessions(context) {
  const { setup, options, stores, log } = context;
  if (stores === undefined) throw new Error('Redis and PostgreSQL were not started');
  const copies = options.quick ? 500 : 10_000;
  const empty = { ...setup, stores: await stores.openAnother('empty') };
  const full = { ...setup, stores: await stores.openAnother('full') };
  const known = await makeSessions(context, empty);
  const copied = (await makeSessions(context, full)).flatMap((id) =>
    Array.from({ length: opensOfEach }, (_, index) =>
      copyOfId(id, Math.floor((copies * (index + 1)) / opensOfEach)),
    ),
  );
  await fillDatabase(full.stores.databaseUrl, copies, log);
  /** @type {{few: Figures, many: Figures}[]} */
  const rounds = [];
  for (let round = 1; round <= options.rounds; round += 1) {
    log(`sessions ${round} …`);
    rounds.push({
      few: await measureDatabase(context, empty, known),
      many: await measureDatabase(context, full, copied),
    });
  }
  return Object.keys(rounds[0]?.few ?? {}).map((what) => {
    const of = (/** @type {'few' | 'many'} */ size) =>
      median(rounds.map((figures) => figures[size][what] ?? NaN));
    return {
      what: `${copies * firstSessions * turnsOfSession} turns beside none: ${what}`,
      value: median(rounds.map(({ few, many }) => (many[what] ?? NaN) / (few[what] ?? NaN))),
      unit: '×',
      ...bound,
      note: `${of('few').toFixed(2)} → ${of('many').toFixed(2)} ms`,
    };
  });
}

/**
 * @param {import('./finding.mjs').BenchContext} context
 * @param {import('../processes/start-target.mjs').TargetSetup} setup
 * @returns {Promise<string[]>} ids of sessions with ten turns each.
 */
async function makeSessions({ projectRoot, onStop }, setup) {
  const target = await startTarget('distributed', setup);
  onStop(target.stop);
  try {
    const ids = await openSessions(target.url, firstSessions, projectRoot);
    for (const sessionId of ids) {
      for (let turn = 0; turn < turnsOfSession; turn += 1) {
        await runTurn(target.url, sessionId);
      }
    }
    return ids;
  } finally {
    await target.stop();
  }
}

/** @param {string} url @param {string} sessionId @returns {Promise<number>} ms to the first delta. */
async function runTurn(url, sessionId) {
  const from = performance.now();
  let first = NaN;
  let last = '';
  for await (const { event, data, atMs } of postTurn(url, {
    sessionId,
    message: '[[tokens=50]]',
  })) {
    if (event === 'chat:delta' && Number.isNaN(first)) first = atMs - from;
    last = data;
  }
  if (last !== '{"exitCode":0}') throw new Error(`A turn ended with ${last}`);
  return first;
}

/**
 * @param {import('./finding.mjs').BenchContext} context
 * @param {import('../processes/start-target.mjs').TargetSetup} setup
 * @param {string[]} sessions to open, and to go on with the first ten of.
 * @returns {Promise<Figures>}
 */
async function measureDatabase(context, setup, sessions) {
  const { load, projectRoot, others, services, onStop, options } = context;
  const scenarios = scenariosFor(true);
  const turns = options.quick ? 500 : 1_500;
  // Housekeeping does a round every ten seconds.
  const idleMs = options.quick ? 10_000 : 30_000;
  const target = await startTarget('distributed', setup, env);
  onStop(target.stop);
  const parts = { load, projectRoot, modelUrl: setup.modelUrl, others, services };
  const run = async (/** @type {string} */ name) => {
    const scenario = scenarios[name];
    if (scenario === undefined) throw new Error(`There is no scenario ${name}`);
    const few = { ...scenario, turns: Math.min(turns, scenario.turns) };
    const measured = await measureRun(target, { ...parts, scenario: few });
    const { errors, lost, reasons } = measured;
    if (errors + lost > 0) throw new Error(`${errors} turns failed: ${reasons.join('; ')}`);
    return { cpu: (measured.cpuMs['product'] ?? NaN) / measured.turns, ttft: measured.ttftMs.p50 };
  };
  const ask = (/** @type {string} */ path) => getPage(`${target.url}/api/harness/${path}`);
  try {
    await measureRun(target, { ...parts, scenario: warmUp });
    const turn = await run('t100');
    const made = await run('new');
    const single = await run('one');
    const list = await timeAll(() => ask('sessions'));
    const opened = await timeAll((index) =>
      ask(`sessions/${sessions[index % sessions.length]}/messages`),
    );
    /** @type {number[]} */
    const next = [];
    for (let turn = 0; turn < 3; turn += 1) {
      for (const id of sessions.slice(0, firstSessions)) next.push(await runTurn(target.url, id));
    }
    const pids = Object.fromEntries(target.processes.map(({ name, pid }) => [name, pid]));
    await delay(settleMs);
    const spent = startCpu({ ...pids, ...services });
    await delay(idleMs);
    const idle = Object.values(spent()).reduce((total, ms) => total + ms, 0);
    return {
      'CPU of a turn, t100': turn.cpu,
      'CPU of a turn in a new session': made.cpu,
      'TTFT p50, one after the other': single.ttft,
      'TTFT p50 of the next turn of a session': median(next),
      'a page of the list, p50': list,
      'a session opened, p50': opened,
      [`CPU of ${idleMs / 1_000} s of housekeeping`]: idle,
    };
  } finally {
    await target.stop();
  }
}

/** @param {(index: number) => Promise<void>} work @returns {Promise<number>} the median, in ms. */
async function timeAll(work) {
  /** @type {number[]} */
  const taken = [];
  for (let index = 0; index < requests; index += 1) {
    const from = performance.now();
    await work(index);
    taken.push(performance.now() - from);
  }
  return median(taken);
}

/** @param {string} url */
async function getPage(url) {
  const response = await fetch(url);
  const body = await response.text();
  if (!response.ok) throw new Error(`${url}: ${response.status} ${body}`);
}
