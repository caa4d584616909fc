import { createWriteStream } from 'node:fs';
import { startServer } from '../../scripts/services/start-server.mjs';

/** @typedef {import('../../scripts/services/start-server.mjs').Server} StartedProcess */

/**
 * Starts a Node process that prints `serves http://…` once it is up. Its output is appended to a file.
 *
 * @param {{ name: string, script: string, nodeOptions?: string[], environment: Record<string, string>, logFile: string }} options
 * @returns {Promise<StartedProcess>} rejects if it exits, or does not serve in time; it has exited then
 */
export function startProcess({ name, script, nodeOptions = [], environment, logFile }) {
  const log = createWriteStream(logFile, { flags: 'a' });
  const note = (/** @type {string} */ what) => `-- ${new Date().toISOString()} ${what}\n`;
  log.write(note('start'));
  return startServer({
    name,
    script,
    nodeOptions: ['--enable-source-maps', ...nodeOptions],
    environment,
    onLine: (line) => log.write(`${line}\n`),
    onEnd: (how) => log.end(note(`exit ${how}`)),
  });
}
