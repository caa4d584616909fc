import { mkdir, symlink } from 'node:fs/promises';
import path from 'node:path';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { findProject } from './oracle-service.js';
import { newFolder } from '../../../test/support/suite.js';

describe('findProject', () => {
  const root = newFolder();
  beforeAll(async () => {
    await mkdir(path.join(root, 'mine'));
    await symlink('/', path.join(root, 'elsewhere'));
    await symlink(root, path.join(root, 'linked-root'));
  });

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
