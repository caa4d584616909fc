import { access, readFile, readdir, rm } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { systemClock } from '../../src/platform/clock.js';
import { findCgroups, makeCgroup, limitFiles } from '../../src/tools/sandbox/cgroups.js';
import { newFolder } from '../support/suite.js';

const limits = { memoryMb: 512, processes: 64, cpuPercent: 150 };

describe('groups of a sandbox', () => {
  it('have their limits, each of those that this machine has, and go away again', async () => {
    const cgroups = await findCgroups(limits, systemClock);
    const controllers = cgroups.parents.flatMap((parent) => parent.controllers);
    expect(controllers.toSorted()).toEqual([...cgroups.limited].sort());
    const group = await makeCgroup(cgroups, limits, systemClock);
    const folders = group.joinFiles.map((file) => path.dirname(file));
    expect(folders).toHaveLength(cgroups.parents.length);
    for (const [index, parent] of cgroups.parents.entries()) {
      for (const controller of parent.controllers) {
        for (const { name, value, isNeeded } of limitFiles(controller, parent.version, limits)) {
          if (!isNeeded) continue;
          const file = path.join(folders[index] ?? '', name);
          expect([name, (await readFile(file, 'utf8')).trim()]).toEqual([name, value]);
        }
      }
    }
    await group.remove();
    for (const folder of folders) await expect(access(folder)).rejects.toThrow('ENOENT');
  });

  it('are not made in a folder that has none', async () => {
    const folder = newFolder();
    const candidates = ([1, 2] as const).map((version) => ({
      folder,
      version,
      controllers: ['memory', 'pids', 'cpu'] as const,
    }));
    const cgroups = await findCgroups(limits, systemClock, candidates);
    expect(cgroups).toEqual({ parents: [], limited: [] });
    expect(await readdir(folder)).toEqual([]);
    await rm(folder, { recursive: true });
  });
});
