import { spawn } from 'node:child_process';
import { once } from 'node:events';

export interface Ended {
  code: number | null;
  stdout: string;
  stderr: string;
}

/** Runs a program to its end, with PATH, HOME and the given variables. */
export async function runProgram(
  [program, ...first]: readonly [string, ...string[]],
  args: readonly string[],
  environment: Readonly<Record<string, string>>,
): Promise<Ended> {
  const { PATH = '', HOME = '' } = process.env;
  const child = spawn(program, [...first, ...args], {
    env: { PATH, HOME, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, stdout, stderr };
}
