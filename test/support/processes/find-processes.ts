import { execFile } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';

/** A sleep of unusual length: its argument identifies the process in a list of all. */
export function uniqueMinute(): string {
  return `60.${randomInt(1_000_000_000, 9_999_999_999)}`;
}

/** Counts living processes of the machine with `text` in their arguments. */
export async function countProcesses(text: string): Promise<number> {
  const { stdout } = await promisify(execFile)('ps', ['-eo', 'stat=,args=']);
  // A zombie that its new parent has not reaped yet counts as gone.
  return stdout.split('\n').filter((line) => line.includes(text) && !line.startsWith('Z')).length;
}

/** The limit is the test's own timeout. */
export async function untilProcesses(text: string, expected: number): Promise<void> {
  while ((await countProcesses(text)) !== expected) await delay(10);
}
