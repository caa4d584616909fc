import path from 'node:path';
import type { ResourceLimits } from './resource-limits.js';

/** The kernel's controllers that are used, by name. */
export const controllers = ['memory', 'pids', 'cpu'] as const;
export type Controller = (typeof controllers)[number];

/** Period of the CPU quota, in microseconds. */
const CPU_PERIOD = 100_000;
const MIB = 1024 * 1024;

/** A folder in which cgroups may be created, and their controllers. */
export interface CgroupParent {
  folder: string;
  version: 1 | 2;
  /** Candidate controllers: only a trial shows whether the folder has them. */
  controllers: readonly Controller[];
}

/** A control file of a new cgroup, and its value. */
export interface LimitFile {
  name: string;
  value: string;
  /** Whether the cgroup fails without it. */
  isNeeded: boolean;
}

/**
 * Candidate parents of cgroups, best first: the server's own cgroup, so that its limits include the
 * children. In version 2 a cgroup with processes cannot pass controllers on, so its parent is a
 * candidate too, as systemd's `DelegateSubgroup=` prepares it.
 *
 * @param groups text of `/proc/self/cgroup`.
 * @param mount the folder where cgroups are mounted.
 */
export function cgroupParents(groups: string, mount = '/sys/fs/cgroup'): CgroupParent[] {
  const lines = groups.split('\n').flatMap((line) => {
    const [, names, own] = /^\d+:([^:]*):(\/.*)$/.exec(line) ?? [];
    return names === undefined || own === undefined ? [] : [{ names: names.split(','), own }];
  });
  return lines.flatMap(({ names, own }): CgroupParent[] => {
    if (names[0] === '') {
      const folders = new Set([own, path.dirname(own)]);
      return [...folders].map((one) => ({
        folder: path.resolve(mount, `.${one}`),
        version: 2,
        controllers,
      }));
    }
    const known = controllers.filter((one) => names.includes(one));
    if (known.length === 0) return [];
    // In a container the mount is the container's own cgroup, whatever the path.
    const folders = new Set([own, '/']);
    const tree = names.join(',');
    return [...folders].map((one) => ({
      folder: path.resolve(mount, tree, `.${one}`),
      version: 1,
      controllers: known,
    }));
  });
}

/** The control files that limit a new cgroup. */
export function limitFiles(
  controller: Controller,
  version: 1 | 2,
  { memoryMb, processes, cpuPercent }: ResourceLimits,
): LimitFile[] {
  const bytes = String(memoryMb * MIB);
  const quota = String((cpuPercent * CPU_PERIOD) / 100);
  switch (controller) {
    case 'memory':
      return version === 2
        ? [needed('memory.max', bytes), optional('memory.swap.max', '0')]
        : [
            needed('memory.limit_in_bytes', bytes),
            // The limit with swap is missing where the kernel does not account for swap.
            optional('memory.memsw.limit_in_bytes', bytes),
          ];
    case 'pids':
      return [needed('pids.max', String(processes))];
    case 'cpu':
      return version === 2
        ? [needed('cpu.max', `${quota} ${CPU_PERIOD}`)]
        : [needed('cpu.cfs_period_us', String(CPU_PERIOD)), needed('cpu.cfs_quota_us', quota)];
  }
}

function needed(name: string, value: string): LimitFile {
  return { name, value, isNeeded: true };
}

function optional(name: string, value: string): LimitFile {
  return { name, value, isNeeded: false };
}
