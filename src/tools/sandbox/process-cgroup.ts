import { randomUUID } from 'node:crypto';
import { access, mkdir, readdir, rmdir, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { pause, type Clock } from '../../platform/clock.js';
import { errorCode } from '../../platform/error-code.js';

/** Where the `pids` controller is: a tree of its own (version 1), or the one of all (version 2). */
const places = ['/sys/fs/cgroup/pids', '/sys/fs/cgroup'];
const prefix = 'turnpike-';

/** How often, and after how many ms, a group is tried again that still has dying processes. */
const TRIES = 20;
const WAIT_MS = 50;
/** From this age on, in ms, a group that is empty is nobody's. */
const LEFTOVER_MS = 60_000;

/** A group of processes that the kernel keeps from growing. */
export interface ProcessCgroup {
  /** A process that writes its id here is in the group, with all that it starts later. */
  joinFile: string;
  /** Takes the group away once it is empty; one that is not within a second is left to a later start. */
  remove(): Promise<void>;
}

/**
 * Where groups can be made. Also takes away what servers that were killed have left.
 *
 * @returns undefined where there is no such place, or only for others.
 */
export async function findCgroupPlace(clock: Clock): Promise<string | undefined> {
  for (const place of places) {
    try {
      const trial = await makeCgroup(place, 1, clock);
      await trial.remove();
      await removeLeftovers(place, clock);
      return place;
    } catch {
      // Not there, not ours, or without the controller.
    }
  }
  return undefined;
}

/** @throws Error when it cannot be made, or has no limit of processes. */
export async function makeCgroup(
  place: string,
  most: number,
  clock: Clock,
): Promise<ProcessCgroup> {
  const folder = path.join(place, `${prefix}${randomUUID()}`);
  await mkdir(folder);
  const group: ProcessCgroup = {
    joinFile: path.join(folder, 'cgroup.procs'),
    remove: () => removeWhenEmpty(folder, clock),
  };
  try {
    const limit = path.join(folder, 'pids.max');
    await access(limit);
    await writeFile(limit, String(most));
    return group;
  } catch (error) {
    await group.remove();
    throw error;
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

async function removeLeftovers(place: string, clock: Clock): Promise<void> {
  const names = (await readdir(place)).filter((name) => name.startsWith(prefix));
  for (const name of names) {
    const folder = path.join(place, name);
    // A younger one may be another server's that nobody has joined yet.
    const isOld = await stat(folder).then(
      ({ mtimeMs }) => mtimeMs < clock.now() - LEFTOVER_MS,
      () => false,
    );
    // One with processes in it cannot be removed.
    if (isOld) await rmdir(folder).catch(() => undefined);
  }
}
