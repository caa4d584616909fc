import path from 'node:path';
import { serverOptions, serverScript } from '../../scripts/services/start-command.mjs';
import { StuckStartError } from '../../scripts/services/start-server.mjs';
import { startProcess } from './start-process.mjs';

/** @typedef {import('./start-process.mjs').StartedProcess} StartedProcess */

/** Milliseconds for which a start is repeated while a service is down. */
const RESTART_MS = 150_000;

/** Milliseconds between two starts. */
const PAUSE_MS = 300;

/**
 * Called when a server fails without a fault that explains it.
 *
 * @typedef {(kind: 'died' | 'stuck-start' | 'unclean-exit', note: string) => void} OnTrouble
 */

/**
 * A server of the cluster, over all its restarts, at one address.
 *
 * @typedef {object} Server
 * @property {'api' | 'worker'} role
 * @property {string} name
 * @property {() => string} url
 * @property {() => number | undefined} pid undefined while it is down
 * @property {() => Promise<void>} start repeated, as by a supervisor, until it serves
 * @property {(signal: NodeJS.Signals) => void} signal
 * @property {() => Promise<unknown>} kill -9; resolves when it has exited
 * @property {() => Promise<void>} retire kills it for good, also while it starts
 * @property {() => Promise<void>} stop SIGTERM; resolves when it has exited
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
      script: serverScript,
      nodeOptions: serverOptions,
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
  // As a supervisor does: one start at a time, repeated while services are down.
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
      // A server that could not start is gone, too.
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
