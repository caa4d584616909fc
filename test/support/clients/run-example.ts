import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);
const examples = new URL('../../../examples/', import.meta.url);

/** The longest time that an example takes on a busy machine, in ms. */
const TIMEOUT_MS = 120_000;

/**
 * Runs a file of `examples` against a server.
 *
 * @returns what it printed. @throws Error with its output where it exits with another code than 0.
 */
export async function runExample(
  program: string,
  file: string,
  url: string,
  variables: Readonly<Record<string, string>> = {},
): Promise<string> {
  const { PATH = '', HOME = '', TMPDIR = '/tmp' } = process.env;
  const env = { PATH, HOME, TMPDIR, TURNPIKE_URL: url, ...variables };
  const path = fileURLToPath(new URL(file, examples));
  const { stdout } = await run(program, [path], { env, timeout: TIMEOUT_MS });
  return stdout;
}

/** So many words of the rehearsal model, as its directive `tokens` makes them. */
export function words(count: number): string {
  return Array.from({ length: count }, (_, index) => `word${index + 1}`).join(' ');
}
