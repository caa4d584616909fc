import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

/** Runs npm in a folder. @returns its standard output. @throws Error with what it said. */
export async function runNpm(cwd: string, ...args: string[]): Promise<string> {
  const { stdout } = await promisify(execFile)('npm', args, { cwd, maxBuffer: 16 * 2 ** 20 });
  return stdout;
}
