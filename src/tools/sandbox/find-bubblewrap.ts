import { execFile } from 'node:child_process';
import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';

/** For the trial run; it takes some ten milliseconds. */
const TRIAL_MS = 10_000;

/** bubblewrap, where it is. */
export async function findBubblewrap(searchPath: string): Promise<string | undefined> {
  for (const folder of searchPath.split(path.delimiter).filter((one) => path.isAbsolute(one))) {
    const file = path.join(folder, 'bwrap');
    const isThere = await access(file, constants.X_OK).then(
      () => true,
      () => false,
    );
    if (isThere) return file;
  }
  return undefined;
}

/**
 * Runs a shell in a sandbox that does nothing: whether user namespaces, mounts and every option
 * that is used are allowed here is known by trying only.
 *
 * @returns why it does not work.
 */
export async function tryBubblewrap(
  file: string,
  args: readonly string[],
): Promise<string | undefined> {
  try {
    const trial = promisify(execFile)(file, [...args, '-c', 'exit 0'], {
      cwd: '/',
      env: {},
      timeout: TRIAL_MS,
      killSignal: 'SIGKILL',
    });
    await trial;
    return undefined;
  } catch (error) {
    const said = (error as { stderr?: string }).stderr?.trim().split('\n')[0];
    return said === undefined || said === '' ? String(error) : said;
  }
}
