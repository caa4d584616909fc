import { serverOptions, serverScript } from '../services/start-command.mjs';
import { startServer } from '../services/start-server.mjs';

/**
 * Starts a process of the built server; logs its output, and an unexpected exit.
 *
 * @param {{name: string, environment: Record<string, string>, log: (line: string) => void}} options
 * @returns {Promise<import('../services/start-server.mjs').Server>}
 */
export async function startTurnpike({ name, environment, log }) {
  let isAsked = false;
  const server = await startServer({
    name,
    script: serverScript,
    nodeOptions: serverOptions,
    environment: { TURNPIKE_PORT: '0', ...environment },
    onLine: (line) => log(`${name}  ${line}`),
    onEnd: (how) => {
      if (!isAsked) log(`${name}  has exited (${how})`);
    },
  });
  const stop = (signal) => {
    isAsked = true;
    return server.stop(signal);
  };
  return { ...server, stop };
}
