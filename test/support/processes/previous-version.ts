import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { newFolder } from '../suite.js';

const run = promisify(execFile);
const root = fileURLToPath(new URL('../../../', import.meta.url));
const commitFile = 'test/release/previous-version';

/** Minutes of a slow network. */
const BUILD_TIMEOUT_MS = 600_000;

/**
 * Builds the version whose commit is in `test/release/previous-version`, with the packages of its own
 * lock file, in a temporary folder of this run. It takes a minute or two.
 *
 * @returns the server's program and its first arguments.
 */
export async function buildPreviousVersion(): Promise<[string, ...string[]]> {
  const commit = (await readFile(path.join(root, commitFile), 'utf8')).trim();
  const folder = newFolder();
  const archive = `${folder}.tar`;
  await run('git', ['archive', `--output=${archive}`, commit], { cwd: root }).catch(
    (error: unknown) => {
      throw new Error(
        `The commit ${commit} of ${commitFile} is not in this clone. Fetch it (git fetch --unshallow), or name there the commit of the last release.`,
        { cause: error },
      );
    },
  );
  await run('tar', ['-xf', archive], { cwd: folder });
  const prepare = [path.join(folder, 'scripts/prepare.mjs'), '--build'];
  await run(process.execPath, prepare, { timeout: BUILD_TIMEOUT_MS });
  return [process.execPath, '--liftoff-only', path.join(folder, 'dist/main.js')];
}
