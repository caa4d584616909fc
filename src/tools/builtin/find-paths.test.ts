import { mkdir, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { findPaths, type PathSearch } from './find-paths.js';
import { GlobPattern } from './glob-pattern.js';
import { newFolder } from '../../../test/support/suite.js';

let root: string;

beforeEach(async () => {
  root = newFolder();
  for (const folder of ['a', 'a/b', 'a/b/c']) {
    await mkdir(join(root, folder));
    await writeFile(join(root, folder, 'file.txt'), '');
  }
});

async function find(pattern: string, more: Partial<PathSearch> = {}) {
  const { signal } = new AbortController();
  const search = {
    root,
    pattern: new GlobPattern(pattern),
    hidden: [],
    isOut: () => false,
    signal,
  };
  const { files, stoppedAfter } = await findPaths({ ...search, ...more });
  return { paths: files.map(({ path }) => relative(root, path)).sort(), stoppedAfter };
}

describe('findPaths', () => {
  // The tree has six entries below its root.
  it.each([
    [6, 3, undefined],
    [5, undefined, 5],
    [0, 0, 0],
  ])('looks at %i entries at most', async (maxEntries, files, stoppedAfter) => {
    const found = await find('**/*', { maxEntries });
    expect(found.stoppedAfter).toBe(stoppedAfter);
    if (files !== undefined) expect(found.paths).toHaveLength(files);
  });

  it('compares as much as it may, and says where it stopped', async () => {
    expect(await find('**/*', { maxWork: 1 })).toEqual({ paths: [], stoppedAfter: 0 });
  });

  it('looks only into folders where something may fit', async () => {
    expect(await find('a/*.txt', { maxEntries: 3 })).toEqual({
      paths: ['a/file.txt'],
      stoppedAfter: undefined,
    });
  });

  it('finds nothing in what is hidden', async () => {
    const { paths } = await find('**/*', { hidden: [join(root, 'a/b')] });
    expect(paths).toEqual(['a/file.txt']);
  });

  it('lets others have their turn while it compares long names', async () => {
    const names = Array.from({ length: 300 }, (_one, index) => `${'a'.repeat(240)}${index}`);
    await Promise.all(names.map((name) => writeFile(join(root, name), '')));
    let turns = 0;
    const count = (): void => {
      turns += 1;
      next = setImmediate(count);
    };
    let next = setImmediate(count);
    const found = await find(`**/${'?*'.repeat(100)}b`);
    clearImmediate(next);
    expect(found).toEqual({ paths: [], stoppedAfter: undefined });
    expect(turns).toBeGreaterThan(5);
  });
});
