import { execFile } from 'node:child_process';
import { readdirSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from '@jest/globals';
import { nodeOptions } from '../support/processes/built-programs.js';

const script = fileURLToPath(new URL('../../scripts/simulate.mjs', import.meta.url));

const root = fileURLToPath(new URL('../..', import.meta.url));
const mutants = path.join(root, 'simulation/mutants');

/** Schedules that are always the same, and those that nobody has seen. */
const [SAME, NEW] = process.env['TEST_RELEASE'] === undefined ? [4, 1] : [16, 8];

/** Runs schedules in a process of its own: the simulation replaces the time of its whole process. */
function simulate(...options: string[]): Promise<{ isClean: boolean; output: string }> {
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      [...nodeOptions, script, ...options],
      { maxBuffer: 64 << 20 },
      (error, stdout, stderr) => resolve({ isClean: error === null, output: stdout + stderr }),
    );
  });
}

describe('a simulated deployment', () => {
  it('keeps the promise in schedules that are always the same, each the same alone, and in new ones', async () => {
    const options = ['--seed', '1', '--trace', '--schedules'];
    const { isClean, output } = await simulate(...options, String(SAME));
    if (!isClean) throw new Error(output);
    // Schedules without turns or faults would be clean as well.
    expect(output).toMatch(
      /^\d+ schedules from seed 1: \d{2,} turns, \d{2,} faults, \d{4,} steps/m,
    );
    const last = traceOf(SAME, output);
    expect(last).toMatch(/worker\d\.1: log info: turn ended/);

    // The same one is the first of its process; the others have seeds that nobody has seen.
    const step = String(1 + (Date.now() % 1_000_000_000));
    const then = ['--seed', String(SAME), '--step', step, '--schedules', String(1 + NEW)];
    const again = await simulate(...then, '--trace');
    // Names the seed, and how to run it again.
    if (!again.isClean) throw new Error(again.output);
    expect(traceOf(SAME, again.output)).toBe(last);
    expect(traceOf(SAME + Number(step), again.output)).toMatch(/^Seed \d+:\n./);
  });
});

describe('the faults that the simulation has to find', () => {
  it.each(readdirSync(mutants))('%s can be put into this tree', async (name) => {
    await promisify(execFile)('git', ['apply', '--check', path.join(mutants, name)], { cwd: root });
  });
});

/** The trace of one schedule. */
function traceOf(seed: number, output: string): string {
  const from = output.indexOf(`\nSeed ${seed}:`) + 1;
  const to = /\nSeed \d+:|\n\d+ schedules? from/.exec(output.slice(from))?.index ?? 0;
  return output.slice(from, from + to);
}
