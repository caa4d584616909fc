import { mkdir, mkdtemp, realpath, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { findProject } from './oracle-service.js';

describe('findProject', () => {
  let root: string;
  beforeAll(async () => {
    root = await realpath(await mkdtemp(path.join(tmpdir(), 'turnpike-oracle-')));
    await mkdir(path.join(root, 'mine'));
    await symlink('/', path.join(root, 'elsewhere'));
    await symlink(root, path.join(root, 'linked-root'));
  });
  afterAll(() => rm(root, { recursive: true, force: true }));

  it('is the root, or a folder in it', async () => {
    expect(await findProject(root, undefined)).toBe(root);
    expect(await findProject(root, 'mine')).toBe(path.join(root, 'mine'));
  });

  it('goes through a root that is a link itself', async () => {
    const linked = path.join(root, 'linked-root');
    expect(await findProject(linked, 'mine')).toBe(path.join(root, 'mine'));
  });

  it.each(['missing', 'elsewhere'])('refuses %s', async (projectId) => {
    await expect(findProject(root, projectId)).rejects.toMatchObject({ status: 404 });
  });
});
