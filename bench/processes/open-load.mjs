import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { once } from 'node:events';

const script = fileURLToPath(new URL('../load/drive-load.mjs', import.meta.url));

/** Starts the load client, one for the whole bench, so that its code is compiled once. */
export function openLoad() {
  const child = fork(script, { execArgv: [] });
  let lastId = 0;
  /** @type {Map<number, {resolve: (result: any) => void, reject: (error: Error) => void}>} */
  const waiting = new Map();
  child.on('message', (/** @type {{id: number, result?: unknown, error?: string}} */ answer) => {
    const asked = waiting.get(answer.id);
    waiting.delete(answer.id);
    if (answer.error === undefined) asked?.resolve(answer.result);
    else asked?.reject(new Error(answer.error));
  });
  child.once('exit', (code, signal) => {
    for (const { reject } of waiting.values()) {
      reject(new Error(`The load client ended (${code ?? signal})`));
    }
  });
  /** @param {object} order */
  const ask = (order) =>
    new Promise((resolve, reject) => {
      const id = (lastId += 1);
      waiting.set(id, { resolve, reject });
      child.send({ id, ...order });
    });
  return {
    pid: Number(child.pid),
    /** @param {import('../load/drive-load.mjs').Load} load */
    prepare: (load) => ask({ prepare: load }),
    /** @returns {Promise<import('../load/summarise.mjs').Summary>} */
    run: () => ask({ run: true }),
    close: async () => {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const exited = once(child, 'exit');
      child.disconnect();
      await exited;
    },
  };
}
