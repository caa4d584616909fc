/** A server process that can be stopped and started again on the same port and folder. */
import { spawn } from 'node:child_process';
import { cleanUpAtExit } from './clean-up-at-exit.mjs';
import { stopChild } from './stop-child.mjs';

const START_TIMEOUT_MS = 60_000;
/** The line that both servers print once they have loaded their data. */
const READY = /ready to accept connections/i;

/**
 * @typedef {object} Service
 * @property {number} port
 * @property {() => number | undefined} pid
 * @property {() => boolean} isUp whether its process has not ended.
 * @property {() => Promise<void>} start resolves once it is ready.
 * @property {(signal?: NodeJS.Signals) => Promise<void>} stop resolves when it has exited.
 */

/**
 * @param {{name: string, port: number, command: string[], cwd: string, user?: {uid: number, gid: number}, stopSignal: NodeJS.Signals, ready?: RegExp}} options `ready`: its line once it serves.
 * @returns {Service}
 */
export function defineService({ name, port, command, cwd, user, stopSignal, ready = READY }) {
  let child;
  const [program = '', ...args] = command;
  return {
    port,
    pid: () => child?.pid,
    isUp: () => child?.pid !== undefined && child.exitCode === null && child.signalCode === null,
    start: async () => {
      const started = spawn(program, args, {
        cwd,
        stdio: ['ignore', 'pipe', 'pipe'],
        // Detached: a Ctrl-C reaches only the parent, which stops everything in order.
        detached: true,
        ...user,
      });
      child = started;
      const forget = cleanUpAtExit(() => started.kill('SIGKILL'));
      started.once('exit', forget);
      try {
        await untilReady(started, name, ready);
      } catch (error) {
        await stopChild(started, 'SIGKILL');
        throw error;
      }
    },
    stop: async (signal = stopSignal) => {
      if (child !== undefined) await stopChild(child, signal);
    },
  };
}

/** Waits for the ready line, and goes on reading: a server blocks on a full pipe. */
function untilReady(child, name, ready) {
  return new Promise((resolve, reject) => {
    let output = '';
    const fail = (what) => {
      clearTimeout(timer);
      reject(new Error(`${name} ${what}:\n${output}`));
    };
    const timer = setTimeout(
      () => fail(`is not ready after ${START_TIMEOUT_MS} ms`),
      START_TIMEOUT_MS,
    );
    const hear = (text) => {
      output = (output + text).slice(-4_000);
      if (!ready.test(output)) return;
      clearTimeout(timer);
      resolve();
    };
    child.stdout.setEncoding('utf8').on('data', hear);
    child.stderr.setEncoding('utf8').on('data', hear);
    child.once('error', (error) => fail(`does not start (${error.message})`));
    // `close` comes after the last output.
    child.once('close', () => fail('ended at its start'));
  });
}
