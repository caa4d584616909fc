import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { StuckStartError } from '../../scripts/services/start-server.mjs';
import { startProcess } from './start-process.mjs';

/** @typedef {import('./start-process.mjs').StartedProcess} StartedProcess */

const main = fileURLToPath(new URL('../../dist/main.js', import.meta.url));

/** A process that cannot start because a service is away is started again, for so long, in ms. */
const RESTART_MS = 150_000;

/** Between two starts, in ms. */
const PAUSE_MS = 300;

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
      name,
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
      return need().stop('SIGKILL');
    },
    retire: async () => {
      isRetired = true;
      // One that could not start is as gone as one that was killed.
      await starting?.catch(() => undefined);
      isAskedToEnd = true;
      await running?.stop('SIGKILL');
    },
    stop: async () => {
      await starting;
      isAskedToEnd = true;
      const code = await need().stop();
      if (code !== 0) onTrouble('unclean-exit', `${name} was asked to stop and ended: ${code}`);
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
