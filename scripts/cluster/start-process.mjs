/** One process of the built server. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const main = path.join(path.dirname(fileURLToPath(import.meta.url)), '../../dist/main.js');

/**
 * @typedef {object} ClusterProcess
 * @property {string} name
 * @property {string} url
 * @property {number} pid
 * @property {(signal: NodeJS.Signals) => void} signal
 * @property {(signal?: NodeJS.Signals) => Promise<number | null>} stop resolves when it has exited.
 */

/**
 * Resolves when it serves; rejects, with what it said, when it exits before.
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
  const exited = once(child, 'exit');
  let said = '';
  const url = await new Promise((resolve, reject) => {
    const hear = (text) => {
      said = (said + text).slice(-4_000);
      for (const line of text.split('\n')) if (line !== '') say(`${name}  ${line}`);
      const served = /serves (http:\S+)/.exec(said)?.[1];
      if (served !== undefined) resolve(served);
    };
    child.stdout.setEncoding('utf8').on('data', hear);
    child.stderr.setEncoding('utf8').on('data', hear);
    exited.then(([code]) => reject(new Error(`${name} exited with ${code}:\n${said}`)), reject);
  });
  return {
    name,
    url,
    pid: child.pid ?? 0,
    signal: (signal) => void child.kill(signal),
    stop: async (signal = 'SIGTERM') => {
      if (child.exitCode === null && child.signalCode === null) child.kill(signal);
      const [code] = await exited;
      return code;
    },
  };
}
