import { spawn } from 'node:child_process';
import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import path from 'node:path';
import { writeSecondInput } from './shell-program.js';

/** Time limit of the trial run, in ms; it usually takes ten. */
const TRIAL_MS = 10_000;

/** The path of bubblewrap; undefined when it is not installed. */
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
 * Runs an empty command in a sandbox: only a trial shows whether user namespaces, mounts and all options
 * are allowed here.
 *
 * @param filter the filter of system calls that `args` makes bubblewrap read from its second input.
 * @returns why the sandbox does not work; undefined when it does.
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
  const [firstLine = ''] = stderr.trim().split('\n');
  if (firstLine !== '') return firstLine;
  return typeof end === 'string' ? end : `it ended with exit code ${end}`;
}
