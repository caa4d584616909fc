import { execFile } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';

/** A minute to sleep, as nobody else sleeps it: it finds the process in a list of all. */
export function uniqueMinute(): string {
  return `60.${randomInt(1_000_000_000, 9_999_999_999)}`;
}

/** How many living processes of the machine have `text` in their arguments. */
export async function countProcesses(text: string): Promise<number> {
  const { stdout } = await promisify(execFile)('ps', ['-eo', 'stat=,args=']);
  // A killed process that its new parent has not reaped yet is gone too.
  return stdout.split('\n').filter((line) => line.includes(text) && !line.startsWith('Z')).length;
}

/** The test's own timeout is the limit. */
export async function untilProcesses(text: string, expected: number): Promise<void> {
  while ((await countProcesses(text)) !== expected) await delay(10);
}
