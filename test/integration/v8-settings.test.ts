import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, it } from '@jest/globals';

const hooks = new URL('../jest/typescript-hooks.mjs', import.meta.url).href;
const module = new URL('../../src/platform/process/v8-settings.ts', import.meta.url).href;

/** Runs a program in a process of its own, after `before`; resolves with the number that it prints. */
async function run(before: string, program: string): Promise<number> {
  const source = `
    import { getHeapCodeStatistics, getHeapSpaceStatistics, setFlagsFromString } from 'node:v8';
    await import(${JSON.stringify(hooks)});
    const { setUpV8 } = await import(${JSON.stringify(module)});
    ${before}
    ${program}`;
  const args = ['--expose-gc', '--input-type=module', '-e', source];
  return Number((await promisify(execFile)(process.execPath, args)).stdout);
}

/** Replaces objects, of which as many stay alive; prints the use of the old space on average, in MB. */
const averageOldSpace = `
  const oldSpace = () => getHeapSpaceStatistics().find((one) => one.space_name === 'old_space').space_used_size;
  const alive = [];
  let sum = 0;
  for (let count = 0; count < 6_000_000; count += 1) {
    alive[count % 600_000] = { count, text: [count, count] };
    if (count % 10_000 === 0) sum += oldSpace();
  }
  console.log(sum / 600 / 2 ** 20);`;

/**
 * Runs functions once; prints the part of their code that is left after collections, where none has to be old to go.
 * The scripts that made them are garbage in any case.
 */
const codeThatStays = `
  setFlagsFromString('--stress-flush-code');
  const size = () => getHeapCodeStatistics().bytecode_and_metadata_size;
  const before = size();
  const functions = Array.from({ length: 2_000 }, (_, n) => new Function('x', 'return [x, x + ' + n + ']'));
  for (const one of functions) one(1);
  const compiled = size();
  for (let count = 0; count < 5; count += 1) gc();
  console.log((size() - before) / (compiled - before));`;

describe('setUpV8', () => {
  it('keeps fewer dead objects than V8 by itself', async () => {
    // A collection that begins late, which chance decides, leaves more of them.
    const median = async (before: string): Promise<number> => {
      const runs = [1, 2, 3].map(() => run(before, averageOldSpace));
      return (await Promise.all(runs)).sort((a, b) => a - b)[1] ?? Infinity;
    };
    expect(await median('setUpV8();')).toBeLessThan(0.9 * (await median('')));
  });

  it('keeps compiled code', async () => {
    const [set, unset] = await Promise.all([
      run('setUpV8();', codeThatStays),
      run('', codeThatStays),
    ]);
    expect(unset).toBeLessThan(0.1);
    expect(set).toBeGreaterThan(0.3);
  });
});
