import { describe, expect, it } from '@jest/globals';
import { cgroupParents, limitFiles } from './cgroups.js';

const limits = { memoryMb: 512, processes: 64, cpuPercent: 150 };

describe('cgroupParents', () => {
  it('has, of version 2, the group of the server and the one above', () => {
    const all = ['memory', 'pids', 'cpu'];
    expect(cgroupParents('0::/system.slice/turnpike.service/server\n')).toEqual([
      {
        folder: '/sys/fs/cgroup/system.slice/turnpike.service/server',
        version: 2,
        controllers: all,
      },
      { folder: '/sys/fs/cgroup/system.slice/turnpike.service', version: 2, controllers: all },
    ]);
    expect(cgroupParents('0::/')).toHaveLength(1);
  });

  it('has, of version 1, the tree of each controller: its own group first', () => {
    const parents = cgroupParents('8:pids:/\n4:memory:/a/b\n3:cpuset:/\n2:cpu,cpuacct:/c\n', '/cg');
    expect(parents.map(({ folder, controllers }) => `${folder} ${controllers.join()}`)).toEqual([
      '/cg/pids pids',
      '/cg/memory/a/b memory',
      '/cg/memory memory',
      '/cg/cpu,cpuacct/c cpu',
      '/cg/cpu,cpuacct cpu',
    ]);
  });

  it('has none where there is nothing to read', () => {
    expect(cgroupParents('')).toEqual([]);
    expect(cgroupParents('9:name=systemd:/\nnonsense\n')).toEqual([]);
  });
});

describe('limitFiles', () => {
  const written = (version: 1 | 2) =>
    (['memory', 'pids', 'cpu'] as const).flatMap((one) =>
      limitFiles(one, version, limits).map(
        ({ name, value, isNeeded }) => `${name}=${value}${isNeeded ? '' : '?'}`,
      ),
    );

  it('limits by the files of each version', () => {
    expect(written(2)).toEqual([
      'memory.max=536870912',
      'memory.swap.max=0?',
      'pids.max=64',
      'cpu.max=150000 100000',
    ]);
    expect(written(1)).toEqual([
      'memory.limit_in_bytes=536870912',
      'memory.memsw.limit_in_bytes=536870912?',
      'pids.max=64',
      'cpu.cfs_period_us=100000',
      'cpu.cfs_quota_us=150000',
    ]);
  });
});
