import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';

/**
 * @typedef {object} StartedProcess
 * @property {number} pid
 * @property {string} url it serves
 * @property {(signal: NodeJS.Signals) => void} signal
 * @property {Promise<number | null>} exited its code; null when a signal ended it
 */

/** How long a start may take, in ms; a few seconds, unless the machine is busy with other things. */
const START_MS = 60_000;

/** It neither served nor ended, and was killed. */
export class StuckStartError extends Error {}

/**
 * A Node process that prints `serves http://…` once it is up. What it prints goes to a file.
 *
 * @param {{ script: string, environment: Record<string, string>, logFile: string }} options
 * @returns {Promise<StartedProcess>} rejects when it ends, or says nothing in time; it is gone then
 */
export async function startProcess({ script, environment, logFile }) {
  const { PATH = '', HOME = '' } = process.env;
  const child = spawn(process.execPath, ['--enable-source-maps', script], {
    env: { PATH, HOME, ...environment },
    // A process that reads its input until the end learns that we are gone.
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  const exited = once(child, 'exit').then(([code]) => /** @type {number | null} */ (code));
  const log = createWriteStream(logFile, { flags: 'a' });
  log.write(`-- ${new Date().toISOString()} process ${child.pid}\n`);
  const { stdout, stderr } = child;
  stderr.pipe(log, { end: false });
  let said = '';
  const served = new Promise((/** @type {(url: string) => void} */ resolve) => {
    stdout.setEncoding('utf8').on('data', (/** @type {string} */ text) => {
      log.write(text);
      if (said.length > 10_000) return;
      said += text;
      const url = /serves (http:\/\/[^\s"\\]+)/.exec(said)?.[1];
      if (url !== undefined) resolve(url);
    });
  });
  exited.then(
    (code) => log.end(`-- ${new Date().toISOString()} exit ${code ?? child.signalCode}\n`),
    () => log.end(),
  );
  const failed = exited.then((code) => {
    throw new Error(`It ended with ${code ?? child.signalCode} at its start; see ${logFile}`);
  });
  /** @type {NodeJS.Timeout | undefined} */
  let patience;
  const tooLate = new Promise((_resolve, /** @type {(error: Error) => void} */ reject) => {
    const note = `It neither serves nor ends after ${START_MS} ms; see ${logFile}`;
    patience = setTimeout(() => reject(new StuckStartError(note)), START_MS);
  });
  try {
    const url = await Promise.race([served, failed, tooLate]);
    return { pid: child.pid ?? 0, url, signal: (signal) => void child.kill(signal), exited };
  } catch (error) {
    child.kill('SIGKILL');
    throw error;
  } finally {
    // When it loses the race, it rejects later, to nobody.
    failed.catch(() => undefined);
    clearTimeout(patience);
  }
}
