import { mkdir, mkdtemp, realpath, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { resolveOwnPaths } from './own-paths.js';

describe('resolveOwnPaths', () => {
  let folder: string;
  const at = (name: string): string => path.join(folder, name);
  beforeAll(async () => {
    folder = await realpath(await mkdtemp(path.join(tmpdir(), 'turnpike-own-')));
    await mkdir(at('data'));
    await symlink('data', at('link'));
    await symlink('circle', at('circle'));
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  it('gives each path as it is written and where it leads', async () => {
    const own = await resolveOwnPaths({
      data: [at('link')],
      hidden: [at('data'), at('link/none')],
      protected: [at('circle')],
    });
    expect(own).toEqual({
      closed: ['/proc', '/sys', '/dev', at('link'), at('data')],
      hidden: [at('data'), at('link/none'), at('data/none')],
      protected: [at('circle')],
    });
  });

  it('takes a relative one from where the server started', async () => {
    const own = await resolveOwnPaths({ data: ['./.none'], hidden: [], protected: [] });
    expect(own.closed.at(-1)).toBe(path.resolve('.none'));
  });
});
