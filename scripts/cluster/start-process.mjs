/** One process of the built server. */
import { spawn } from 'node:child_process';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { cleanUpAtExit } from '../services/clean-up-at-exit.mjs';
import { stopChild } from '../services/stop-child.mjs';

const main = path.join(path.dirname(fileURLToPath(import.meta.url)), '../../dist/main.js');
const START_TIMEOUT_MS = 60_000;
const KEPT_LINES = 50;

/**
 * @typedef {object} ClusterProcess
 * @property {string} name
 * @property {string} url
 * @property {number} pid
 * @property {(signal: NodeJS.Signals) => void} signal
 * @property {(signal?: NodeJS.Signals) => Promise<number | null>} stop resolves when it has exited.
 */

/**
 * Resolves when it serves; rejects, with what it said, when it exits before or takes a minute.
 *
 * @param {{name: string, environment: Record<string, string>, say: (line: string) => void}} options
 * @returns {Promise<ClusterProcess>}
 */
export async function startProcess({ name, environment, say }) {
  const { PATH = '', HOME = '' } = process.env;
  const child = spawn(process.execPath, [main], {
    env: { PATH, HOME, TURNPIKE_PORT: '0', ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
    // A Ctrl-C is for who started this, which stops everything in order.
    detached: true,
  });
  child.once(
    'exit',
    cleanUpAtExit(() => child.kill('SIGKILL')),
  );
  let isStopping = false;
  const stop = (signal = 'SIGTERM') => {
    isStopping = true;
    return stopChild(child, signal);
  };
  child.once('exit', (code, signal) => {
    if (!isStopping) say(`${name}  has exited (${signal ?? code})`);
  });
  try {
    const url = await untilServing(child, { name, say });
    return { name, url, pid: child.pid ?? 0, signal: (signal) => void child.kill(signal), stop };
  } catch (error) {
    await stop('SIGKILL');
    throw error;
  }
}

/** Says every line, then and later. */
function untilServing(child, { name, say }) {
  return new Promise((resolve, reject) => {
    const said = [];
    const fail = (what) => {
      clearTimeout(timer);
      reject(new Error(`${name} ${what}:\n${said.join('\n')}`));
    };
    const timer = setTimeout(
      () => fail(`does not serve after ${START_TIMEOUT_MS} ms`),
      START_TIMEOUT_MS,
    );
    const hear = (line) => {
      say(`${name}  ${line}`);
      said.push(line);
      if (said.length > KEPT_LINES) said.shift();
      const url = /serves (http:\S+)/.exec(line)?.[1];
      if (url === undefined) return;
      clearTimeout(timer);
      resolve(url);
    };
    createInterface({ input: child.stdout }).on('line', hear);
    createInterface({ input: child.stderr }).on('line', hear);
    child.once('error', (error) => fail(`does not start (${error.message})`));
    // After its last words.
    child.once('close', (code, signal) => fail(`exited with ${signal ?? code}`));
  });
}
