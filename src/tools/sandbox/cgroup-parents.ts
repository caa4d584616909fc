import path from 'node:path';
import type { ResourceLimits } from './resource-limits.js';

/** What a group can limit, by the name of the kernel's controller. */
export const controllers = ['memory', 'pids', 'cpu'] as const;
export type Controller = (typeof controllers)[number];

/** Microseconds in which a group may use its share of processors. */
const CPU_PERIOD = 100_000;
const MIB = 1024 * 1024;

/** A folder in which groups may be made, and of which controllers. */
export interface CgroupParent {
  folder: string;
  version: 1 | 2;
  /** Those that it is asked for; whether it has them is known by trying. */
  controllers: readonly Controller[];
}

/** A file of a new group, and what is written to it. */
export interface LimitFile {
  name: string;
  value: string;
  /** The group is of no use without it. */
  isNeeded: boolean;
}

/**
 * Where groups may be made, best first: inside the group that the server is in, so that they count
 * for its own limits as well. Version 2 lets no group with processes have limits for those below, so
 * that the group above is asked too, which is what `DelegateSubgroup=` of systemd prepares.
 *
 * @param groups text of `/proc/self/cgroup`.
 * @param mount where cgroups are mounted.
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
    // In a container the mount is the container's own group, whatever the path says.
    const folders = new Set([own, '/']);
    const tree = names.join(',');
    return [...folders].map((one) => ({
      folder: path.resolve(mount, tree, `.${one}`),
      version: 1,
      controllers: known,
    }));
  });
}

/** What is written into a new group to limit it. */
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
            // With swap: it is not there where the kernel does not count that.
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
