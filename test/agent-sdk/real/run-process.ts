import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/** Of a case or a program that takes a second or two. */
const TIMEOUT_MS = 60_000;

const hooks = new URL('../../jest/typescript-hooks.mjs', import.meta.url).href;

/**
 * Runs a program of ours, in TypeScript, to its end. It and all that it started are ended after a minute.
 *
 * @returns its lines.
 * @throws Error where it failed or did not end, with what it said.
 */
export async function runProcess(
  program: URL,
  args: readonly string[],
  how: { env: Record<string, string>; cwd?: string },
): Promise<string[]> {
  const file = fileURLToPath(program);
  const child = spawn(process.execPath, ['--import', hooks, file, ...args], {
    ...how,
    stdio: ['ignore', 'pipe', 'pipe'],
    // A group of its own, so that what it started can be ended with it.
    detached: true,
  });
  const end = (): void => {
    if (child.pid !== undefined) endGroup(child.pid);
  };
  const timer = setTimeout(end, TIMEOUT_MS);
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code) => {
      clearTimeout(timer);
      // What it left would hold its output open.
      end();
      child.once('close', () => resolve(code));
    });
  });
  const lines = stdout.split('\n').filter((line) => line !== '');
  if (code === 0) return lines;
  const ended = code === null ? `was ended after ${TIMEOUT_MS} ms` : `ended with ${code}`;
  throw new Error(`${file} ${ended}. ${stderr}\n${lines.slice(-3).join('\n')}`);
}

function endGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL');
  } catch (error) {
    // None of them is left.
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error;
  }
}
