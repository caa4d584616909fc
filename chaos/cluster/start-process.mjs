import { createWriteStream } from 'node:fs';
import { startServer } from '../../scripts/services/start-server.mjs';

/** @typedef {import('../../scripts/services/start-server.mjs').Server} StartedProcess */

/**
 * A Node process that prints `serves http://…` once it is up. What it prints goes to a file, which
 * is kept over its lives.
 *
 * @param {{ name: string, script: string, environment: Record<string, string>, logFile: string }} options
 * @returns {Promise<StartedProcess>} rejects when it ends, or says nothing in time; it is gone then
 */
export function startProcess({ name, script, environment, logFile }) {
  const log = createWriteStream(logFile, { flags: 'a' });
  const note = (/** @type {string} */ what) => `-- ${new Date().toISOString()} ${what}\n`;
  log.write(note('start'));
  return startServer({
    name,
    script,
    nodeOptions: ['--enable-source-maps'],
    environment,
    hear: (line) => log.write(`${line}\n`),
    onEnd: (how) => log.end(note(`exit ${how}`)),
  });
}
