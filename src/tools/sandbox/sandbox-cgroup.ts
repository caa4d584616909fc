import { randomUUID } from 'node:crypto';
import { access, mkdir, readFile, readdir, rmdir, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { pause, type Clock } from '../../platform/clock.js';
import { errorCode } from '../../platform/error-code.js';
import { cgroupParents, limitFiles, type CgroupParent, type Controller } from './cgroup-parents.js';
import type { ResourceLimits } from './resource-limits.js';

const prefix = 'turnpike-';

/** Attempts to remove a cgroup, which may still have dying processes. */
const TRIES = 20;
/** Pause between two attempts, in ms. */
const RETRY_MS = 50;
/** Age from which an empty cgroup is a leftover, in ms. */
const LEFTOVER_MS = 60_000;

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
    const wanted = candidate.controllers.filter((one) => !limited.has(one));
    if (wanted.length === 0) continue;
    const has = await tryParent({ ...candidate, controllers: wanted }, limits, clock);
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
