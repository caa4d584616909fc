/** Starts a Node program that serves, as a process. */
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { cleanUpAtExit } from './clean-up-at-exit.mjs';
import { stopChild } from './stop-child.mjs';

/** Milliseconds for a start, which takes a few seconds unless the machine is busy. */
const START_TIMEOUT_MS = 60_000;
const KEPT_LINES = 50;

/** The process neither served nor exited in time, and was killed. */
export class StuckStartError extends Error {}

/**
 * @typedef {object} Server
 * @property {string} name
 * @property {string} url
 * @property {number} pid
 * @property {(signal: NodeJS.Signals) => void} signal
 * @property {(signal?: NodeJS.Signals) => Promise<number | null>} stop resolves when it has exited.
 * @property {Promise<number | null>} exited its exit code; null after a signal.
 *
 * @typedef {object} ServerOptions
 * @property {string} name
 * @property {string} script prints `serves http://…` once it is up.
 * @property {string[]} [nodeOptions]
 * @property {string} [cwd]
 * @property {Record<string, string>} [environment] all its variables beside PATH and HOME.
 * @property {(line: string) => void} [onLine] called with every line it prints.
 * @property {(how: string | number) => void} [onEnd] called after its last line with its exit code or signal.
 */

/**
 * Starts the program and resolves once it serves. Rejects with its output if it exits before, or takes a
 * minute; it has exited then. It ends with this process, except after `kill -9`.
 *
 * @param {ServerOptions} options
 * @returns {Promise<Server>}
 * @throws {StuckStartError}
 */
export async function startServer(options) {
  const { name, script, nodeOptions = [], cwd, environment } = options;
  const { PATH = '', HOME = '' } = process.env;
  const child = spawn(process.execPath, [...nodeOptions, script], {
    cwd,
    env: { PATH, HOME, ...environment },
    // A program that reads its input to the end notices our exit.
    stdio: ['pipe', 'pipe', 'pipe'],
    // Detached: a Ctrl-C reaches only the parent, which stops everything in order.
    detached: true,
  });
  child.once(
    'exit',
    cleanUpAtExit(() => child.kill('SIGKILL')),
  );
  const exited = new Promise((resolve) => child.once('exit', resolve));
  const stop = (signal = 'SIGTERM') => stopChild(child, signal);
  try {
    const url = await untilServing(child, options);
    const signal = (signal) => void child.kill(signal);
    return { name, url, pid: child.pid ?? 0, signal, stop, exited };
  } catch (error) {
    await stop('SIGKILL');
    throw error;
  }
}

/** Waits until it serves, and reports every line, also later ones. */
function untilServing(child, { name, onLine = () => undefined, onEnd = () => undefined }) {
  return new Promise((resolve, reject) => {
    const lines = [];
    const fail = (what, ErrorType = Error) => {
      clearTimeout(timer);
      reject(new ErrorType(`${name} ${what}:\n${lines.join('\n')}`));
    };
    const timer = setTimeout(
      () => fail(`neither serves nor ends after ${START_TIMEOUT_MS} ms`, StuckStartError),
      START_TIMEOUT_MS,
    );
    const take = (line) => {
      onLine(line);
      lines.push(line);
      if (lines.length > KEPT_LINES) lines.shift();
      const url = /serves (http:\/\/[^\s"\\)]+)/.exec(line)?.[1];
      if (url === undefined) return;
      clearTimeout(timer);
      resolve(url);
    };
    createInterface({ input: child.stdout }).on('line', take);
    createInterface({ input: child.stderr }).on('line', take);
    child.once('error', (error) => fail(`does not start (${error.message})`));
    // `close` comes after the last output.
    child.once('close', (code, signal) => {
      onEnd(signal ?? code);
      fail(`ended with ${signal ?? code} at its start`);
    });
  });
}
