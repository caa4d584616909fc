/** `npm run simulate -- --mutants`: runs the simulation with each fault of `simulation/mutants`, which it has to find. */
import { execFile } from 'node:child_process';
import { cp, mkdtemp, readdir, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs, promisify } from 'node:util';

const root = path.join(path.dirname(fileURLToPath(import.meta.url)), '..');
const mutants = path.join(root, 'simulation/mutants');
const run = promisify(execFile);

const { values } = parseArgs({
  options: {
    mutants: { type: 'boolean' },
    schedules: { type: 'string', default: '300' },
    only: { type: 'string', default: '' },
  },
});

const names = (await readdir(mutants)).filter((name) => name.startsWith(values.only)).sort();
if (names.length === 0) throw new Error(`There is no fault ${values.only}`);
for (const name of names) {
  const found = await hunt(name);
  if (found === undefined) process.exitCode = 1;
  process.stdout.write(`${name.replace('.patch', '').padEnd(26)}${found ?? 'NOT FOUND'}\n`);
}

/**
 * Runs a copy of the tree that has a fault, from seed 1 on.
 *
 * @param {string} name the file of the fault
 * @returns {Promise<string | undefined>} how it was found; undefined: it was not
 */
async function hunt(name) {
  const copy = await mkdtemp(path.join(tmpdir(), 'turnpike-mutant-'));
  try {
    for (const part of [
      'src',
      'rehearsal',
      'simulation',
      'chaos',
      'scripts',
      'instructions',
      'package.json',
      'tsconfig.json',
    ]) {
      await cp(path.join(root, part), path.join(copy, part), { recursive: true });
    }
    await symlink(path.join(root, 'node_modules'), path.join(copy, 'node_modules'));
    await run('git', ['apply', path.join(mutants, name)], { cwd: copy });
    return await simulate(copy);
  } finally {
    await rm(copy, { recursive: true });
  }
}

/**
 * @param {string} copy
 * @returns {Promise<string | undefined>}
 */
async function simulate(copy) {
  const script = path.join(copy, 'scripts/simulate.mjs');
  const options = ['--seed', '1', '--schedules', values.schedules, '--until-violation'];
  try {
    await run(process.execPath, [script, ...options], { cwd: copy, maxBuffer: 256 << 20 });
    return undefined;
  } catch (error) {
    const violation = /^Seed (\d+):\n {2}(\S+)/m.exec(error.stdout ?? '');
    if (violation === null) throw error;
    return `${violation[1].padStart(4)} schedules, ${violation[2]}`;
  }
}
