import { mkdir, rename, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { readTool } from '../../tools/builtin/file-tools.js';
import type { CallableTool } from '../../tools/registry.js';
import { decideCall } from './judge-open-call.js';
import { newFolder } from '../../../test/support/suite.js';

describe('decideCall', () => {
  let folder: string;
  let root: string;
  beforeEach(async () => {
    folder = newFolder();
    root = path.join(folder, 'ann');
    await mkdir(root);
    await mkdir(path.join(folder, 'bob'));
    await writeFile(path.join(folder, 'bob', 'a.txt'), 'secret');
  });

  const unused = () => Promise.reject(new Error('not called'));
  const decide = (others: string[] | undefined) => {
    const ownPaths = { closed: [], hidden: others ?? [], protected: [] };
    const layers = [{ mode: 'direct', named: [], agent: {} }];
    const permissions = { layers, server: {}, session: {}, grants: [] };
    const tool: CallableTool = {
      ...readTool,
      checkInput: () => ({ ok: true, input: {} }),
      run: unused,
    };
    const rules = {
      ...permissions,
      root: { spellings: [], real: root, projectRoot: root, ownPaths, others },
    };
    return decideCall(rules, tool, { file_path: 'a.txt' });
  };

  it('denies what the root has come to lead to, where others have folders', async () => {
    expect((await decide([folder])).verdict).toBe('allow');
    await rename(root, path.join(folder, 'was'));
    await symlink('bob', root);
    expect(await decide([folder])).toMatchObject({
      verdict: 'deny',
      reason: expect.stringContaining('leads to another folder since the turn began'),
    });
    expect((await decide(undefined)).verdict).toBe('allow');
  });
});
