import { link, readFile, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { randomUUID } from 'node:crypto';
import * as z from 'zod/mini';
import { parseValue } from '../../parsing/parse-value.js';
import { compact } from '../../platform/compact.js';
import { errorCode } from '../../platform/error-code.js';
import { makeDataFolder } from './make-data-folder.js';

/** The process that owns a data folder, as `<dataDir>/owner.json` has it. */
export interface FolderOwner {
  token: string;
  pid: number;
  /** Start of the process in the kernel's clock ticks, which detects a reused pid. Linux only. */
  startTicks?: string;
  /** URL that the owner serves, once it does. */
  url?: string;
}

const ownerShape = z.object({
  token: z.string(),
  pid: z.number(),
  startTicks: z.exactOptional(z.string()),
  url: z.exactOptional(z.string()),
});
const nobody: FolderOwner = { token: 'nobody', pid: 0 };

export class DataFolderBusyError extends Error {
  constructor(
    readonly folder: string,
    readonly owner: FolderOwner,
  ) {
    const where = owner.url === undefined ? '' : ` and serves ${owner.url}`;
    super(
      `The data folder ${folder} is in use: process ${owner.pid} owns it${where}. ` +
        `Stop that process, or set TURNPIKE_DATA_DIR to another folder.`,
    );
    this.name = 'DataFolderBusyError';
  }
}

/**
 * Locks a data folder for this process: two embedded databases on one folder would destroy it. A
 * dead owner's folder is taken over at once.
 *
 * @throws DataFolderBusyError when a living process owns it; DataFolderUnusableError.
 */
export async function lockDataFolder(folder: string): Promise<{
  publish(url: string): Promise<void>;
  release(): Promise<void>;
}> {
  await makeDataFolder(folder);
  const file = path.join(folder, 'owner.json');
  const startTicks = (await processStat(process.pid))?.startTicks;
  const self: FolderOwner = {
    token: randomUUID(),
    pid: process.pid,
    ...compact({ startTicks }),
  };
  const owner = await acquire(file, self);
  if (owner !== undefined) throw new DataFolderBusyError(folder, owner);
  return {
    publish: (url) => writeWhole(file, { ...self, url }),
    release: () => releaseFile(file, self),
  };
}

/** The living owner of a folder, if any. */
export async function livingOwner(folder: string): Promise<FolderOwner | undefined> {
  const owner = await loadOwner(path.join(folder, 'owner.json'));
  return owner !== undefined && (await isAlive(owner)) ? owner : undefined;
}

async function createExclusively(file: string, owner: FolderOwner): Promise<boolean> {
  // A link appears whole: no reader takes a half-written file for a dead owner's.
  const draft = `${file}.${owner.token}`;
  await writeFile(draft, JSON.stringify(owner));
  try {
    await link(draft, file);
    return true;
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return false;
    throw error;
  } finally {
    await rm(draft, { force: true });
  }
}

async function writeWhole(file: string, owner: FolderOwner): Promise<void> {
  const draft = `${file}.${owner.token}`;
  await writeFile(draft, JSON.stringify(owner));
  await rename(draft, file);
}

/**
 * Acquires `file`, unless a living process owns it.
 *
 * Several processes may find a dead owner's file. They compete for a second file, named after the dead
 * owner; its winner overwrites the first, so that the first never goes missing and a living owner is
 * never overwritten. A winner that dies leaves a dead owner's file in turn.
 *
 * @returns the living owner; undefined when the file was acquired.
 */
async function acquire(file: string, self: FolderOwner): Promise<FolderOwner | undefined> {
  while (!(await createExclusively(file, self))) {
    const owner = await loadOwner(file);
    if (owner === undefined) continue;
    if (await isAlive(owner)) return owner;
    const takeover = `${file}.${owner.token}.takeover`;
    if ((await acquire(takeover, self)) !== undefined) continue;
    const isUnchanged = (await loadOwner(file))?.token === owner.token;
    if (isUnchanged) await writeWhole(file, self);
    await releaseFile(takeover, self);
    if (isUnchanged) return undefined;
  }
  return undefined;
}

async function releaseFile(file: string, self: FolderOwner): Promise<void> {
  const owner = await loadOwner(file);
  if (owner?.token === self.token) await rm(file, { force: true });
}

/** @returns undefined when there is no such file; a dead owner for a file that no owner wrote. */
async function loadOwner(file: string): Promise<FolderOwner | undefined> {
  try {
    const value: unknown = JSON.parse(await readFile(file, 'utf8'));
    return parseValue(ownerShape, value).value ?? nobody;
  } catch (error) {
    if (error instanceof SyntaxError) return nobody;
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}

async function isAlive(owner: FolderOwner): Promise<boolean> {
  // A pid of zero or below names a group of processes, maybe our own.
  if (owner.pid <= 0) return false;
  try {
    process.kill(owner.pid, 0);
  } catch (error) {
    // EPERM: the process lives, under another user.
    return errorCode(error) === 'EPERM';
  }
  const { state = '', startTicks: ticks } = (await processStat(owner.pid)) ?? {};
  // A process that was killed keeps its pid until its parent asks for its end, which some never do.
  if (['Z', 'X'].includes(state)) return false;
  return owner.startTicks === undefined || ticks === undefined || ticks === owner.startTicks;
}

/** A process as Linux knows it; undefined elsewhere, and where there is none. */
async function processStat(
  pid: number,
): Promise<{ state: string | undefined; startTicks: string | undefined } | undefined> {
  try {
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
    // The command's name is in parentheses and may contain spaces; state and start time are fields 3 and 22.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return { state: fields[0], startTicks: fields[19] };
  } catch (error) {
    if (errorCode(error) === 'ENOENT' || errorCode(error) === 'ESRCH') return undefined;
    throw error;
  }
}
