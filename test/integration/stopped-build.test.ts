import { execFile } from 'node:child_process';
import { cp, mkdir, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from '@jest/globals';
import { buildBeside } from '../../scripts/build-beside.mjs';
import { packageRoot } from '../../src/platform/process/package-root.js';
import { newFolder } from '../support/suite.js';

const run = promisify(execFile);

/** No process has it: the largest that Linux gives is smaller. */
const NOBODY = 2 ** 22 + 1;

async function write(folder: string, files: Record<string, string>): Promise<void> {
  for (const [name, content] of Object.entries(files)) {
    await mkdir(path.dirname(path.join(folder, name)), { recursive: true });
    await writeFile(path.join(folder, name), content);
  }
}

describe('a folder that is built beside itself', () => {
  it('is whole or as before, and takes away what stopped builds left', async () => {
    const parent = newFolder();
    const dist = path.join(parent, 'dist');
    await write(parent, {
      'dist/main.js': 'old',
      'dist/old.js': '',
      [`dist.${NOBODY}/main.js`]: 'half',
      [`dist.${NOBODY}.before/main.js`]: 'older',
      'dist.mine/keep': '',
      [`dist.${process.ppid}/main.js`]: 'of another build',
    });
    const kept = ['dist', `dist.${process.ppid}`, 'dist.mine'].sort();
    const broken = buildBeside(dist, async (making) => {
      await write(making, { 'main.js': 'half' });
      expect(await readFile(path.join(dist, 'main.js'), 'utf8')).toBe('old');
      throw new Error('the disk is full');
    });
    await expect(broken).rejects.toThrow('the disk is full');
    expect((await readdir(parent)).sort()).toEqual(kept);
    expect((await readdir(dist)).sort()).toEqual(['main.js', 'old.js']);
    await buildBeside(dist, (making) => write(making, { 'main.js': 'new' }));
    expect((await readdir(parent)).sort()).toEqual(kept);
    expect(await readdir(dist)).toEqual(['main.js']);
    await rm(dist, { recursive: true });
    await buildBeside(dist, (making) => write(making, { 'main.js': 'first' }));
    expect(await readFile(path.join(dist, 'main.js'), 'utf8')).toBe('first');
  });
});

/** A clone without packages, whose build notes that it ran. */
async function cloneOf(dist: readonly string[]): Promise<string> {
  const root = newFolder();
  const engines = { node: '>=22.12' };
  const scripts = { build: 'node build.cjs' };
  await write(root, {
    'package.json': JSON.stringify({ name: 'root', scripts, engines }),
    'test/package.json': JSON.stringify({ name: 'tests' }),
    'test/interop/package.json': JSON.stringify({ name: 'interop' }),
    'src/main.ts': '',
    'build.cjs': `require('node:fs').writeFileSync('built', '')`,
  });
  for (const name of ['src', 'rehearsal', 'web', 'scripts', 'tsconfig.json']) {
    const place = path.join(root, name);
    if (!name.includes('.')) await mkdir(place, { recursive: true });
  }
  for (const name of ['prepare.mjs', 'bring-node.mjs']) {
    await cp(path.join(packageRoot, 'scripts', name), path.join(root, 'scripts', name));
  }
  for (const name of dist) {
    await write(root, { [`dist/${name}`]: '' });
    const later = new Date(Date.now() + 60_000);
    await utimes(path.join(root, 'dist', name), later, later);
  }
  return root;
}

describe('a start', () => {
  const whole = ['main.js', 'empty-database.tar.gz', 'migrations/0.sql', 'web/index.html'];

  it.each([
    ['nothing', [], true],
    ['all', whole, false],
    ...whole.map((left): [string, string[], boolean] => [
      `all but ${left}`,
      whole.filter((name) => name !== left),
      true,
    ]),
  ])('builds again where a build left %s', async (_what, dist, builds) => {
    const root = await cloneOf(dist);
    await run(process.execPath, [path.join(root, 'scripts/prepare.mjs'), '--build']);
    expect((await readdir(root)).includes('built')).toBe(builds);
  });
});
