import { chmod, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { systemClock } from '../platform/clock.js';
import { describeShells, openShells, type Shells } from './shells.js';
import { newFolder } from '../../test/support/suite.js';

let folder: string;
beforeEach(async () => {
  folder = newFolder();
});

/** Options for a machine whose PATH has only this program. */
async function shellsWith(bwrap: string | undefined, allowUnsandboxed: boolean): Promise<Shells> {
  if (bwrap !== undefined) {
    await writeFile(path.join(folder, 'bwrap'), `#!/bin/sh\n${bwrap}\n`);
    await chmod(path.join(folder, 'bwrap'), 0o755);
  }
  return openShells({
    limits: { memoryMb: 100, processes: 10, cpuPercent: 100 },
    network: false,
    dataFolders: [],
    hide: [],
    protect: [],
    searchPath: folder,
    clock: systemClock,
    allowUnsandboxed,
    outputLimit: 1_000,
  });
}

describe('openShells', () => {
  it('has a sandbox where bubblewrap runs', async () => {
    const shells = await shellsWith('exit 0', false);
    expect(shells).toMatchObject({ kind: 'sandboxed', network: false, outputBytes: 500 });
    expect(describeShells(shells)).toBe('in a sandbox, without network');
  });

  it.each([
    [undefined, 'bubblewrap (bwrap) is not installed'],
    [
      'echo "bwrap: No permissions to create new namespace" >&2; exit 1',
      'bubblewrap does not work here (bwrap: No permissions to create new namespace)',
    ],
  ])('has none where it is %j', async (bwrap, reason) => {
    const off = await shellsWith(bwrap, false);
    expect(off).toMatchObject({ kind: 'off', reason });
    expect(describeShells(off)).toBe(`off (${reason}; see TURNPIKE_ALLOW_UNSANDBOXED_BASH)`);
    const allowed = await shellsWith(bwrap, true);
    expect(allowed).toMatchObject({ kind: 'unsandboxed', reason });
    expect(describeShells(allowed)).toBe(`WITHOUT a sandbox (${reason})`);
  });
});
