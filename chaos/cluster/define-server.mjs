import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { startProcess, StuckStartError } from './start-process.mjs';

/** @typedef {import('./start-process.mjs').StartedProcess} StartedProcess */

const main = fileURLToPath(new URL('../../dist/main.js', import.meta.url));

/** A process that cannot start because a service is away is started again, for so long, in ms. */
const RESTART_MS = 150_000;

/** Between two starts, in ms. */
const PAUSE_MS = 300;

/** A process that was asked to stop is gone by then, in ms. */
const STOP_MS = 20_000;

/**
 * Tells of what a server did that no fault explains.
 *
 * @typedef {(kind: 'died' | 'stuck-start' | 'unclean-exit', note: string) => void} OnTrouble
 */

/**
 * One server of the cluster, over all its lives; its address stays.
 *
 * @typedef {object} Server
 * @property {'api' | 'worker'} role
 * @property {string} name
 * @property {() => string} url
 * @property {() => number | undefined} pid undefined while it is down
 * @property {() => Promise<void>} start as a supervisor would: again, until it serves
 * @property {(signal: NodeJS.Signals) => void} signal
 * @property {() => Promise<unknown>} kill -9; when it is gone
 * @property {() => Promise<void>} retire kills it for good, also while it starts
 * @property {() => Promise<void>} stop asks it to; when it is gone
 */

/**
 * @param {{ role: 'api' | 'worker', name: string, environment: Record<string, string>, logs: string, onTrouble: OnTrouble }} options
 * @returns {Server}
 */
export function defineServer({ role, name, environment, logs, onTrouble }) {
  /** @type {StartedProcess | undefined} */
  let running;
  let isUp = false;
  let isAskedToEnd = false;
  let isRetired = false;
  /** @type {Promise<void> | undefined} */
  let starting;
  let url = '';
  const start = async () => {
    const port = url === '' ? '0' : new URL(url).port;
    const started = await startProcess({
      script: main,
      environment: { ...environment, TURNPIKE_ROLE: role, TURNPIKE_PORT: port },
      logFile: path.join(logs, `${name}.log`),
    });
    running = started;
    url = started.url;
    isUp = true;
    isAskedToEnd = false;
    const onExit = () => {
      isUp = false;
      if (isAskedToEnd) return;
      onTrouble('died', `${name}, process ${started.pid}`);
      startAgain().catch((error) => onTrouble('died', String(error)));
    };
    started.exited.then(onExit, onExit);
  };
  // As a supervisor would: one start at a time, and again while services are away.
  const startAgain = () => {
    const onStuck = (/** @type {string} */ note) => onTrouble('stuck-start', `${name}: ${note}`);
    starting ??= startInTheEnd(start, { onStuck, isOver: () => isRetired }).finally(() => {
      starting = undefined;
    });
    return starting;
  };
  const need = () => {
    if (running === undefined) throw new Error(`${name} was never started`);
    return running;
  };
  return {
    role,
    name,
    url: () => url,
    pid: () => (isUp ? running?.pid : undefined),
    start: startAgain,
    signal: (signal) => need().signal(signal),
    kill: async () => {
      await starting;
      isAskedToEnd = true;
      need().signal('SIGKILL');
      return need().exited;
    },
    retire: async () => {
      isRetired = true;
      // One that could not start is as gone as one that was killed.
      await starting?.catch(() => undefined);
      isAskedToEnd = true;
      running?.signal('SIGKILL');
      await running?.exited;
    },
    stop: async () => {
      await starting;
      const { signal, exited } = need();
      isAskedToEnd = true;
      signal('SIGTERM');
      const timer = new AbortController();
      const stuck = new Promise((/** @type {(value: 'stuck') => void} */ resolve) => {
        const timeout = setTimeout(() => resolve('stuck'), STOP_MS);
        timer.signal.addEventListener('abort', () => clearTimeout(timeout));
      });
      const code = await Promise.race([exited, stuck]);
      timer.abort();
      if (code !== 0) onTrouble('unclean-exit', `${name} was asked to stop and ended: ${code}`);
      if (code !== 'stuck') return;
      signal('SIGKILL');
      await exited;
    },
  };
}

/**
 * @param {() => Promise<void>} start
 * @param {{ onStuck: (note: string) => void, isOver: () => boolean }} watch
 */
async function startInTheEnd(start, { onStuck, isOver }) {
  for (const giveUpAt = Date.now() + RESTART_MS; ;) {
    try {
      return await start();
    } catch (error) {
      if (error instanceof StuckStartError) onStuck(error.message);
      if (isOver() || Date.now() > giveUpAt) throw error;
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    }
  }
}
