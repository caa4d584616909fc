import { randomUUID } from 'node:crypto';
import { access, mkdir, readFile, readdir, rmdir, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { pause, type Clock } from '../../platform/clock.js';
import { errorCode } from '../../platform/error-code.js';

const prefix = 'turnpike-';

/** Attempts to remove a cgroup, which may still have dying processes. */
const TRIES = 20;
/** Pause between two attempts, in ms. */
const RETRY_MS = 50;
/** Age from which an empty cgroup is a leftover, in ms. */
const LEFTOVER_MS = 60_000;

export interface ResourceLimits {
  /** Memory of a process, of the files in `/tmp` and, with a cgroup, of all together, in MiB. */
  memoryMb: number;
  /** Processes of a shell at a time. */
  processes: number;
  /** CPU of a shell and its children, in percent of one processor. Needs a cgroup. */
  cpuPercent: number;
}

/** The cgroups that limit one sandbox. */
export interface SandboxCgroup {
  /** Files to which a process writes its id to join, with all its later children. */
  joinFiles: readonly string[];
  /** Removes the cgroups once they are empty; after a second they are left to a later start. */
  remove(): Promise<void>;
}

/** Parents in which the server can create cgroups, and their controllers. */
export interface UsableCgroups {
  parents: readonly CgroupParent[];
  limited: readonly Controller[];
}

/**
 * Finds parents for cgroups by creating a cgroup in each candidate. Also removes leftovers of servers
 * that were killed.
 *
 * @param candidates in order of preference. Default: those of this process.
 */
export async function findCgroups(
  limits: ResourceLimits,
  clock: Clock,
  candidates?: readonly CgroupParent[],
): Promise<UsableCgroups> {
  const found: CgroupParent[] = [];
  const limited = new Set<Controller>();
  for (const candidate of candidates ?? (await ownParents())) {
    const missing = candidate.controllers.filter((one) => !limited.has(one));
    if (missing.length === 0) continue;
    const has = await tryParent({ ...candidate, controllers: missing }, limits, clock);
    if (has.length === 0) continue;
    for (const one of has) limited.add(one);
    found.push({ ...candidate, controllers: has });
    await removeLeftovers(candidate.folder, clock);
  }
  return { parents: found, limited: [...limited] };
}

/**
 * Creates the cgroups of a sandbox.
 * @throws Error when that fails, or a limit is no longer available.
 */
export async function makeCgroup(
  { parents }: UsableCgroups,
  limits: ResourceLimits,
  clock: Clock,
): Promise<SandboxCgroup> {
  const folders: string[] = [];
  const group: SandboxCgroup = {
    joinFiles: [],
    remove: async () => {
      await Promise.all(folders.map((folder) => removeWhenEmpty(folder, clock)));
    },
  };
  try {
    for (const parent of parents) {
      const folder = path.join(parent.folder, `${prefix}${randomUUID()}`);
      await mkdir(folder);
      folders.push(folder);
      for (const one of parent.controllers) await limit(folder, one, { parent, limits });
    }
    return { ...group, joinFiles: folders.map((folder) => path.join(folder, 'cgroup.procs')) };
  } catch (error) {
    await group.remove();
    throw error;
  }
}

async function ownParents(): Promise<CgroupParent[]> {
  return cgroupParents(await readFile('/proc/self/cgroup', 'utf8').catch(() => ''));
}

/** @returns the controllers that cgroups in this parent can have. */
async function tryParent(
  parent: CgroupParent,
  limits: ResourceLimits,
  clock: Clock,
): Promise<Controller[]> {
  const has: Controller[] = [];
  for (const one of parent.controllers) {
    try {
      if (parent.version === 2) await enable(parent.folder, one);
      const only = { parents: [{ ...parent, controllers: [one] }], limited: [one] };
      const trial = await makeCgroup(only, limits, clock);
      await trial.remove();
      has.push(one);
    } catch {
      // The parent is missing, not writable, or without the controller.
    }
  }
  return has;
}

/** Passes a controller on to the children, as version 2 requires. */
async function enable(folder: string, controller: Controller): Promise<void> {
  const file = path.join(folder, 'cgroup.subtree_control');
  const passed = (await readFile(file, 'utf8')).split(/\s+/);
  if (!passed.includes(controller)) await writeFile(file, `+${controller}`);
}

async function limit(
  folder: string,
  controller: Controller,
  { parent, limits }: { parent: CgroupParent; limits: ResourceLimits },
): Promise<void> {
  for (const { name, value, isNeeded } of limitFiles(controller, parent.version, limits)) {
    const file = path.join(folder, name);
    try {
      // In a folder that is no cgroup, a write would create the file.
      await access(file);
      await writeFile(file, value);
    } catch (error) {
      if (isNeeded) throw error;
    }
  }
}

async function removeWhenEmpty(folder: string, clock: Clock): Promise<void> {
  for (let tries = 0; tries < TRIES; tries += 1) {
    try {
      await rmdir(folder);
      return;
    } catch (error) {
      if (errorCode(error) === 'ENOENT') return;
      await pause(clock, RETRY_MS);
    }
  }
}

async function removeLeftovers(parent: string, clock: Clock): Promise<void> {
  const names = (await readdir(parent)).filter((name) => name.startsWith(prefix));
  for (const name of names) {
    const folder = path.join(parent, name);
    // A younger cgroup may be another server's that no process has joined yet.
    const isOld = await stat(folder).then(
      ({ mtimeMs }) => mtimeMs < clock.now() - LEFTOVER_MS,
      () => false,
    );
    // A cgroup with processes cannot be removed.
    if (isOld) await rmdir(folder).catch(() => undefined);
  }
}

/** The kernel's controllers that are used, by name. */
export const controllers = ['memory', 'pids', 'cpu'] as const;
export type Controller = (typeof controllers)[number];

/** Period of the CPU quota, in microseconds. */
const CPU_PERIOD = 100_000;
const MIB = 1024 * 1024;

/** A folder in which cgroups may be created, and their controllers. */
interface CgroupParent {
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
