import { spawn } from 'node:child_process';
import { once } from 'node:events';

/**
 * @typedef {object} Process
 * @property {number} pid @property {string} url @property {string} name
 * @property {(signal?: NodeJS.Signals) => Promise<void>} stop resolves when it has ended.
 */

const startTimeoutMs = 60_000;
const stopTimeoutMs = 20_000;

/** What every process of the bench gets of this one's environment. */
const inherited = ['PATH', 'HOME', 'TMPDIR', 'LANG'];

/**
 * Starts a Node program that prints `serves http://…` once it is up.
 *
 * @param {{name: string, script: string, cwd: string, env?: Record<string, string>, cpuProfiles?: string | undefined}} options
 *   `cpuProfiles`: folder a CPU profile is written to at the end.
 * @returns {Promise<Process>}
 */
export async function startProcess({ name, script, cwd, env = {}, cpuProfiles }) {
  const base = inherited.flatMap((key) => {
    const value = process.env[key];
    return value === undefined ? [] : [[key, value]];
  });
  const profile =
    cpuProfiles === undefined
      ? []
      : ['--cpu-prof', `--cpu-prof-dir=${cpuProfiles}`, `--cpu-prof-name=${profileName(name)}`];
  const child = spawn(process.execPath, [...profile, script], {
    cwd,
    env: { ...Object.fromEntries(base), ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let errors = '';
  child.stderr.setEncoding('utf8').on('data', (text) => (errors = (errors + text).slice(-4_000)));
  const gone = () => child.exitCode !== null || child.signalCode !== null;
  const stop = async (/** @type {NodeJS.Signals} */ signal = 'SIGTERM') => {
    if (gone() || child.pid === undefined) return;
    const exited = once(child, 'exit');
    const timer = setTimeout(() => child.kill('SIGKILL'), stopTimeoutMs);
    child.kill(signal);
    await exited;
    clearTimeout(timer);
  };
  try {
    const url = await servedUrl(child, name, () => errors);
    return { pid: Number(child.pid), url, name, stop };
  } catch (error) {
    await stop('SIGKILL');
    throw error;
  }
}

/** @type {Map<string, number>} */
const profiled = new Map();

/** @param {string} name */
function profileName(name) {
  const count = (profiled.get(name) ?? 0) + 1;
  profiled.set(name, count);
  return `${name}-${count}.cpuprofile`;
}

/**
 * @param {import('node:child_process').ChildProcessByStdio<null, import('node:stream').Readable, import('node:stream').Readable>} child
 * @param {string} name @param {() => string} errors
 * @returns {Promise<string>}
 */
function servedUrl(child, name, errors) {
  return new Promise((resolve, reject) => {
    let output = '';
    const fail = (/** @type {string} */ why) => {
      clearTimeout(timer);
      reject(new Error(`${name} ${why}\n${output}${errors()}`));
    };
    const timer = setTimeout(
      () => fail(`does not serve after ${startTimeoutMs} ms`),
      startTimeoutMs,
    );
    child.once('error', (error) => fail(error.message));
    child.once('exit', (code, signal) => fail(`ended at its start (${code ?? signal})`));
    child.stdout.setEncoding('utf8').on('data', (text) => {
      output = (output + text).slice(-4_000);
      const url = /serves (http:\/\/\S+)/.exec(output)?.[1];
      if (url === undefined) return;
      clearTimeout(timer);
      resolve(url.replace(/[).,]+$/, ''));
    });
  });
}
