import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { openSessions } from '../load/open-sessions.mjs';
import { residentKb } from '../measure/sample-memory.mjs';
import { startTarget } from '../processes/start-target.mjs';
import { postTurn } from './read-frames.mjs';

const drainMs = 1_000;
const turns = 200;
/**
 * Milliseconds from a start to the measurement. V8 gives back what the start leaves after 16 s: its timer ticks every
 * 8 s, and must find the process idle twice.
 */
const settleMs = 20_000;

/** Most MB of an idle process. @type {Record<string, number>} */
const MAX_IDLE_MB = { embedded: 380, api: 140, worker: 140 };

/**
 * Measures what a target costs while nothing happens, how long it takes to start on a new folder and on an
 * existing one, and how long to stop with 200 running turns.
 *
 * @param {import('./finding.mjs').BenchContext} context @param {string} name of the target.
 * @returns {Promise<import('./finding.mjs').Finding[]>}
 */
export async function measureRest({ setup, projectRoot, onStop }, name) {
  const env = {
    TURNPIKE_DRAIN_MS: String(drainMs),
    TURNPIKE_DATA_DIR: path.join(setup.folder, `rest-${name}`),
  };
  const start = async () => {
    const from = performance.now();
    const target = await startTarget(name, setup, env);
    onStop(target.stop);
    return { target, ms: performance.now() - from };
  };
  const first = await start();
  await delay(settleMs);
  const idle = first.target.processes.map((process) => ({
    what: `${name}: idle memory of ${process.name}`,
    value: residentKb(process.pid) / 1_024,
    unit: 'MB',
    most: MAX_IDLE_MB[process.name],
  }));
  await first.target.stop();
  const second = await start();
  const { url, processes } = second.target;
  const sessions = await openSessions(url, turns, projectRoot);
  await Promise.all(sessions.map((sessionId) => beginTurn(url, sessionId)));
  const from = performance.now();
  await Promise.all(processes.map(({ stop }) => stop()));
  const stop = {
    what: `${name}: stop with ${turns} running turns, beyond the drain`,
    value: performance.now() - from - drainMs,
    unit: 'ms',
    most: 500,
  };
  if (name !== 'embedded') return [...idle, stop];
  return [
    ...idle,
    { what: 'embedded: start on a new folder', value: first.ms, unit: 'ms', most: 2_500 },
    { what: 'embedded: start on an existing folder', value: second.ms, unit: 'ms', most: 1_500 },
    stop,
  ];
}

/** Begins a turn that runs until the server stops. @param {string} url @param {string} sessionId */
async function beginTurn(url, sessionId) {
  const opts = { onDisconnect: 'continue' };
  const frames = postTurn(url, { sessionId, message: '[[tokens=2 gap=900000]]', opts });
  let event;
  while (event !== 'chat:delta') event = (await frames.next()).value?.event;
}
