import { spawn } from 'node:child_process';
import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import path from 'node:path';
import { writeSecondInput } from './shell-program.js';

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
 * @param filter of system calls, which `args` has it read from its second input.
 * @returns why it does not work.
 */
export async function tryBubblewrap(
  file: string,
  args: readonly string[],
  filter?: Buffer,
): Promise<string | undefined> {
  const trial = spawn(file, [...args, '-c', 'exit 0'], {
    cwd: '/',
    env: {},
    stdio: ['ignore', 'ignore', 'pipe', ...(filter === undefined ? [] : ['pipe' as const])],
    timeout: TRIAL_MS,
    killSignal: 'SIGKILL',
  });
  writeSecondInput(trial, filter);
  let stderr = '';
  trial.stderr?.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  const end = await new Promise<string | number | null>((resolve) => {
    trial.once('error', (error) => resolve(error.message)).once('close', (code) => resolve(code));
  });
  if (end === 0) return undefined;
  const [said = ''] = stderr.trim().split('\n');
  if (said !== '') return said;
  return typeof end === 'string' ? end : `it ended with exit code ${end}`;
}
