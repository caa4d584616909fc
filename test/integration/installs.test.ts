import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { packageRoot } from '../../src/platform/process/package-root.js';

interface Locked {
  dependencies?: Record<string, string>;
  devDependencies?: Record<string, string>;
  optionalDependencies?: Record<string, string>;
}

const lock = JSON.parse(readFileSync(path.join(packageRoot, 'package-lock.json'), 'utf8')) as {
  packages: Record<string, Locked>;
};

/** Where a package finds another one, as Node does; undefined: it is for another platform. */
function findPackage(from: string, name: string): string | undefined {
  for (let at = from; ; at = at.slice(0, Math.max(0, at.lastIndexOf('/node_modules/')))) {
    const found = `${at === '' ? '' : `${at}/`}node_modules/${name}`;
    if (existsSync(path.join(packageRoot, found, 'package.json'))) return found;
    if (!at.includes('node_modules')) return undefined;
  }
}

/** The folders of all packages that some folders need, without peers: what is needed of these is a dependency here. */
function packagesOf(folders: readonly string[]): string[] {
  const found = new Set<string>();
  const add = (from: string, names: Record<string, string> = {}): void => {
    for (const name of Object.keys(names)) {
      const at = findPackage(from, name);
      if (at === undefined || found.has(at)) continue;
      found.add(at);
      add(at, lock.packages[at]?.dependencies);
      add(at, lock.packages[at]?.optionalDependencies);
    }
  };
  for (const folder of folders) {
    add('', lock.packages[folder]?.dependencies);
    add('', lock.packages[folder]?.devDependencies);
  }
  return [...found];
}

/** MiB on disk, as `du` counts them. */
function sizeOf(folders: readonly string[]): number {
  const listed = execFileSync('du', ['-sk', '--exclude=node_modules', ...folders], {
    cwd: packageRoot,
    encoding: 'utf8',
  });
  return [...listed.matchAll(/^(\d+)\t/gm)].reduce((sum, [, kib]) => sum + Number(kib), 0) / 1024;
}

describe('what is installed', () => {
  it('to run and build is 520 packages and 450 MiB at most', () => {
    const folders = packagesOf(['']);
    expect(folders.length).toBeGreaterThan(100);
    expect(folders.length).toBeLessThanOrEqual(520);
    expect(sizeOf(folders)).toBeLessThanOrEqual(450);
  });

  it('for npm test is 700 MiB at most', () => {
    expect(sizeOf(packagesOf(['', 'test']))).toBeLessThanOrEqual(700);
  });

  it('for npm pack has the types of all that src imports: it compiles declarations', () => {
    const { scripts } = JSON.parse(
      readFileSync(path.join(packageRoot, 'package.json'), 'utf8'),
    ) as { scripts: { prepack: string } };
    // What `npm start` installed is not enough, and what every test needs is too much.
    expect(scripts.prepack).toMatch(/^node scripts\/prepare\.mjs --tests && /);
    const imported = Object.keys(lock.packages['']?.dependencies ?? {});
    const late = Object.keys(lock.packages['test/interop']?.devDependencies ?? {});
    expect(imported.filter((name) => late.includes(`@types/${name}`))).toEqual([]);
    expect(packagesOf(['', 'test'])).toContain('node_modules/@types/pg-copy-streams');
  });
});
