import { randomUUID } from 'node:crypto';
import { access, mkdir, readFile, readdir, rmdir, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { pause, type Clock } from '../../platform/clock.js';
import { errorCode } from '../../platform/error-code.js';
import { cgroupParents, limitFiles, type CgroupParent, type Controller } from './cgroup-parents.js';
import type { ResourceLimits } from './resource-limits.js';

const prefix = 'turnpike-';

/** How often, and after how many ms, a group is tried again that still has dying processes. */
const TRIES = 20;
const WAIT_MS = 50;
/** From this age on, in ms, a group that is empty is nobody's. */
const LEFTOVER_MS = 60_000;

/** Groups that one sandbox is in, which the kernel keeps from growing. */
export interface SandboxCgroup {
  /** A process that writes its id to each is in the groups, with all that it starts later. */
  joinFiles: readonly string[];
  /** Takes them away once they are empty; one that is not within a second is left to a later start. */
  remove(): Promise<void>;
}

/** Where this server makes groups, and what they limit. */
export interface UsableCgroups {
  parents: readonly CgroupParent[];
  limited: readonly Controller[];
}

/**
 * Where groups can be made, found by making one in each parent. Also takes away what servers that were
 * killed have left.
 *
 * @param candidates in the order in which they are tried. Default: those of this process.
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

/** @throws Error when one cannot be made, or has not the limits that it had at the start. */
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

/** @returns which of its controllers it has for groups that are made in it. */
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
      // Not there, not ours, or without the controller.
    }
  }
  return has;
}

/** Version 2 has a controller below where the group above passes it on. */
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
      // A folder that is no group would have it made.
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
      await pause(clock, WAIT_MS);
    }
  }
}

async function removeLeftovers(parent: string, clock: Clock): Promise<void> {
  const names = (await readdir(parent)).filter((name) => name.startsWith(prefix));
  for (const name of names) {
    const folder = path.join(parent, name);
    // A younger one may be another server's that nobody has joined yet.
    const isOld = await stat(folder).then(
      ({ mtimeMs }) => mtimeMs < clock.now() - LEFTOVER_MS,
      () => false,
    );
    // One with processes in it cannot be removed.
    if (isOld) await rmdir(folder).catch(() => undefined);
  }
}
