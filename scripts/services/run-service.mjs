/** One server process that can be stopped and started again on the same port and folder. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { untilListening } from './free-port.mjs';

/**
 * @typedef {object} Service
 * @property {number} port
 * @property {() => number | undefined} pid
 * @property {() => Promise<void>} start
 * @property {(signal?: NodeJS.Signals) => Promise<void>} stop
 */

/**
 * @param {{name: string, port: number, command: string[], cwd: string, user?: number, stopSignal: NodeJS.Signals}} options
 * @returns {Service}
 */
export function defineService({ name, port, command, cwd, user, stopSignal }) {
  let child;
  let output = '';
  const [program = '', ...args] = command;
  return {
    port,
    pid: () => child?.pid,
    start: async () => {
      output = '';
      const started = spawn(program, args, {
        cwd,
        stdio: ['ignore', 'pipe', 'pipe'],
        // A Ctrl-C is for who started this, which stops everything in order.
        detached: true,
        ...(user === undefined ? {} : { uid: user }),
      });
      child = started;
      const keep = (text) => (output = (output + text).slice(-4_000));
      started.stdout.setEncoding('utf8').on('data', keep);
      started.stderr.setEncoding('utf8').on('data', keep);
      started.once('error', keep);
      const failure = () =>
        started.exitCode === null && started.signalCode === null
          ? undefined
          : `${name} ended at its start:\n${output}`;
      await untilListening(port, failure);
    },
    stop: async (signal = stopSignal) => {
      if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
      const exited = once(child, 'exit');
      child.kill(signal);
      await exited;
    },
  };
}
