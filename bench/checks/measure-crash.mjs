import { openSessions } from '../load/open-sessions.mjs';
import { median } from '../measure/median-of.mjs';
import { startRole } from '../processes/start-target.mjs';
import { postTurn } from './read-frames.mjs';

const leaseMs = 2_000;
const trials = 3;
const beforeKill = 50;

/**
 * Kills a worker in the middle of a stream, with a second worker to take over: the time to
 * `turn:recovering` and to the next step, minus the lease.
 *
 * @param {import('./finding.mjs').BenchContext} context
 * @returns {Promise<import('./finding.mjs').Finding[]>}
 */
export async function measureCrash({ setup, projectRoot, onStop }) {
  const env = { TURNPIKE_LEASE_MS: String(leaseMs) };
  /** @type {import('../processes/start-process.mjs').Process[]} */
  const running = [];
  const start = async (/** @type {'api' | 'worker'} */ role) => {
    const started = await startRole(role, setup, env);
    running.push(started);
    return started;
  };
  const stop = async () => {
    for (const one of running.splice(0)) await one.stop();
  };
  onStop(stop);
  try {
    const api = await start('api');
    const sessions = await openSessions(api.url, trials, projectRoot);
    let worker = await start('worker');
    /** @type {{recovering: number, resumed: number}[]} */
    const taken = [];
    for (const sessionId of sessions) {
      // The second worker starts after the claim, so that the worker to kill is known.
      const next = { worker };
      taken.push(
        await crashOnce(api.url, sessionId, async () => {
          next.worker = await start('worker');
          return () => worker.stop('SIGKILL');
        }),
      );
      worker = next.worker;
    }
    const over = (/** @type {'recovering' | 'resumed'} */ key) =>
      median(taken.map((trial) => trial[key])) - leaseMs;
    const worst = Math.max(...taken.map(({ resumed }) => resumed)) - leaseMs;
    return [
      {
        what: 'kill to turn:recovering, beyond the lease, p50',
        value: over('recovering'),
        unit: 'ms',
      },
      {
        what: 'kill to resumed step, beyond the lease, p50',
        value: over('resumed'),
        unit: 'ms',
        most: 1_000,
      },
      { what: `the same, worst of ${trials}`, value: worst, unit: 'ms', most: 1_000 },
    ];
  } finally {
    await stop();
  }
}

/**
 * @param {string} url @param {string} sessionId
 * @param {() => Promise<() => Promise<unknown>>} prepareKill
 */
async function crashOnce(url, sessionId, prepareKill) {
  // Long enough to run until the second worker is up.
  const message = '[[tokens=3000 gap=20]]';
  let deltas = 0;
  let killedMs = NaN;
  let recovering = NaN;
  /** @type {Promise<unknown> | undefined} */
  let killing;
  for await (const { event, atMs } of postTurn(url, { sessionId, message })) {
    if (event === 'chat:delta') deltas += 1;
    if (deltas === beforeKill && killing === undefined) {
      killing = prepareKill().then((kill) => {
        killedMs = performance.now();
        return kill();
      });
    }
    if (event === 'turn:recovering') recovering = atMs - killedMs;
    if (event === 'step:start' && !Number.isNaN(recovering)) {
      await killing;
      return { recovering, resumed: atMs - killedMs };
    }
  }
  throw new Error('The turn ended without having been taken over');
}
