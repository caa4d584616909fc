import {
  link,
  readFile,
  rename,
  rm,
  writeFile,
  access,
  constants,
  mkdir,
  readdir,
  stat,
} from 'node:fs/promises';
import path from 'node:path';
import { randomUUID } from 'node:crypto';
import * as z from 'zod/mini';
import { parseValue } from '../../platform/parsing/parse-value.js';
import { compact } from '../../platform/compact.js';
import { errorCode } from '../../platform/error-code.js';

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
  const self = await ownSelf();
  const owner = await acquire(file, self);
  if (owner !== undefined) throw new DataFolderBusyError(folder, owner);
  return {
    publish: (url) => writeWhole(file, { ...self, url }),
    release: () => releaseFile(file, self),
  };
}

/** Locks a file's name for this process, as `lockDataFolder` does a folder. @returns undefined: a living process has it. */
export async function tryLock(file: string): Promise<{ release(): Promise<void> } | undefined> {
  const self = await ownSelf();
  if ((await acquire(file, self)) !== undefined) return undefined;
  return { release: () => releaseFile(file, self) };
}

async function ownSelf(): Promise<FolderOwner> {
  const startTicks = (await processStat(process.pid))?.startTicks;
  return { token: randomUUID(), pid: process.pid, ...compact({ startTicks }) };
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

/** Codes of the system → what is wrong with a data folder, and what to do about it. */
const faults: Readonly<Record<string, (user: string) => string>> = {
  EACCES: (user) => `${user} may not write it: give it to ${user} (chown -R)`,
  EPERM: (user) => `${user} may not write it: give it to ${user} (chown -R)`,
  EROFS: () => 'its file system is read-only: mount a volume there',
  ENOSPC: () => 'its disk is full: make room',
  EFBIG: () => 'its files may not be as large as 16 MB: raise the limit (ulimit -f)',
  EDQUOT: (user) => `the quota of ${user} is used up: make room`,
  EEXIST: () => 'it is not a folder: remove the file',
  ENOENT: () => 'its file system makes no folders there: correct the path',
  ENOTDIR: () => 'a part of its path is not a folder: correct the path',
};

/** A data folder that this process cannot write. The message, one line, says why and what to do. */
export class DataFolderUnusableError extends Error {
  constructor(folder: string, fault: string, options: ErrorOptions) {
    super(
      `The data folder ${folder} cannot be used, as ${fault}, or set TURNPIKE_DATA_DIR to another folder.`,
      options,
    );
    this.name = 'DataFolderUnusableError';
  }
}

/**
 * Makes a data folder, or checks that this process may write it and what is in it: a part that belongs to a
 * different user would be found by the first statement that needs it.
 *
 * @throws DataFolderUnusableError.
 */
async function makeDataFolder(folder: string): Promise<void> {
  let place = path.resolve(folder);
  try {
    await makeFolders(place);
    const parts = await readdir(place);
    // The engine's own files have the owner of its folder, but for a folder that was made by a copy.
    for (const part of ['', ...parts, 'db/PG_VERSION']) {
      place = path.join(folder, part);
      await access(place, constants.R_OK | constants.W_OK).catch(ignoreMissing);
    }
  } catch (error) {
    throw explainUnusable(place, error);
  }
}

/** @returns what to do about a folder that the system refuses; the error itself where it says something else. */
export function explainUnusable(folder: string, error: unknown): unknown {
  const fault = faults[errorCode(error) ?? ''];
  if (fault === undefined) return error;
  return new DataFolderUnusableError(path.resolve(folder), fault(describeUser()), { cause: error });
}

/** Makes a folder and those above it. Node's own way never returns in `/proc`, where there is nothing to make. */
async function makeFolders(folder: string): Promise<void> {
  const make = (): Promise<void> =>
    mkdir(folder).catch(async (error: unknown) => {
      const isThere = errorCode(error) === 'EEXIST' && (await stat(folder)).isDirectory();
      if (!isThere) throw error;
    });
  try {
    await make();
  } catch (error) {
    const above = path.dirname(folder);
    if (errorCode(error) !== 'ENOENT' || above === folder) throw error;
    await makeFolders(above);
    await make();
  }
}

/** A part may go between the two calls: the lock of a process that ends. */
function ignoreMissing(error: unknown): void {
  if (errorCode(error) !== 'ENOENT') throw error;
}

function describeUser(): string {
  // Windows has no numbers of users.
  return process.getuid === undefined ? 'this user' : `user ${process.getuid()}`;
}
