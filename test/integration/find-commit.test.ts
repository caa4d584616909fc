import { execFileSync } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, it } from '@jest/globals';
import { findCommit } from '../../scripts/find-commit.mjs';
import { newFolder } from '../support/suite.js';

it('finds the commit of a clone, of no folder in one, and the one that is given', async () => {
  const folder = newFolder();
  expect(findCommit(folder, {})).toBeUndefined();
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b.c', ...args], {
      cwd: folder,
      encoding: 'utf8',
    });
  git('init', '--quiet');
  await writeFile(path.join(folder, 'file'), '1');
  git('add', '.');
  git('commit', '--quiet', '-m', 'One');
  git('tag', 'v1');
  const commit = git('rev-parse', 'HEAD').trim();
  expect(findCommit(folder, {})).toBe(commit);
  await writeFile(path.join(folder, 'file'), '2');
  expect(findCommit(folder, {})).toBe(`${commit}-dirty`);
  const inside = path.join(folder, 'node_modules/package');
  await mkdir(inside, { recursive: true });
  expect(findCommit(inside, {})).toBeUndefined();
  expect(findCommit(inside, { SOURCE_COMMIT: 'abc' })).toBe('abc');
});
