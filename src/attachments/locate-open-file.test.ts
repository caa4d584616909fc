import { mkdir, mkdtemp, open, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { locateOpenFile } from './locate-open-file.js';

describe('locateOpenFile', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await realpath(await mkdtemp(path.join(tmpdir(), 'located-')));
    for (const name of ['inside', 'outside']) {
      await mkdir(path.join(folder, name));
      await writeFile(path.join(folder, name, 'f.txt'), name);
    }
  });
  afterEach(() => rm(folder, { recursive: true }));

  it('resolves the links on the way', async () => {
    await symlink('outside', path.join(folder, 'way'));
    const named = path.join(folder, 'way/f.txt');
    const handle = await open(named);
    expect(await locateOpenFile(handle, named)).toBe(path.join(folder, 'outside/f.txt'));
    await handle.close();
  });

  // The path is resolved after the open: whoever swaps a folder between the two says where the file lies, and
  // passes as that file by swapping once more.
  it('is not misled by a folder that was a link when the file was opened', async () => {
    const way = path.join(folder, 'way');
    await symlink('outside', way);
    const handle = await open(path.join(way, 'f.txt'));
    await rm(way);
    await mkdir(way);
    await writeFile(path.join(way, 'f.txt'), 'public');
    const located = await locateOpenFile(handle, path.join(way, 'f.txt'));
    // A system other than Linux has no path of a descriptor: the file's number tells the two apart then.
    const expected = process.platform === 'linux' ? 'outside/f.txt' : 'way/f.txt';
    expect([located, String(await handle.readFile())]).toEqual([
      path.join(folder, expected),
      'outside',
    ]);
    await handle.close();
  });
});
