import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { glob } from 'tinyglobby';
import { boundedWalk } from './bounded-walk.js';

let root: string;

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'walk-'));
  for (const folder of ['a', 'a/b', 'a/b/c']) {
    await mkdir(join(root, folder));
    await writeFile(join(root, folder, 'file.txt'), '');
  }
});

afterEach(() => rm(root, { recursive: true }));

describe('boundedWalk', () => {
  // The tree has six entries below its root.
  it.each([
    [6, 3, false],
    [5, 3, true],
    [2, 1, true],
    [0, 0, true],
  ])('with a limit of %i finds %i files', async (limit, files, cutShort) => {
    const walk = boundedWalk(limit);
    const found = await glob('**/*', { cwd: root, fs: { readdir: walk.readdir } });
    expect(found).toHaveLength(files);
    expect(walk.cutShort()).toBe(cutShort);
  });

  it('finds nothing in what is hidden', async () => {
    const walk = boundedWalk(100, [join(root, 'a/b')]);
    const found = await glob('**/*', { cwd: root, fs: { readdir: walk.readdir } });
    expect(found).toEqual(['a/file.txt']);
  });
});
