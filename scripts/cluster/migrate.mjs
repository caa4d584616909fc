import { execFile } from 'node:child_process';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const cli = path.join(path.dirname(fileURLToPath(import.meta.url)), '../../dist/cli.js');
const MIGRATE_TIMEOUT_MS = 60_000;

/**
 * The migrate job of a deployment: `turnpike migrate` of the build.
 *
 * @param {Record<string, string>} environment all its variables beside PATH and HOME.
 */
export async function migrate(environment) {
  const { PATH = '', HOME = '' } = process.env;
  await promisify(execFile)(process.execPath, [cli, 'migrate'], {
    env: { PATH, HOME, ...environment },
    timeout: MIGRATE_TIMEOUT_MS,
  });
}
