import { mkdir, symlink } from 'node:fs/promises';
import path from 'node:path';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { resolveOwnPaths } from './resolve-own-paths.js';
import { newFolder } from '../../test/support/suite.js';

describe('resolveOwnPaths', () => {
  const at = (name: string): string => path.join(folder, name);
  const folder = newFolder();
  beforeAll(async () => {
    await mkdir(at('data'));
    await symlink('data', at('link'));
    await symlink('circle', at('circle'));
  });

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
