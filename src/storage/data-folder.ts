import { link, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { randomUUID } from 'node:crypto';
import { errorCode } from '../platform/error-code.js';
import { isPlainObject } from '../platform/json.js';

/** Who holds a data folder. Written to `<dataDir>/owner.json`. */
export interface FolderOwner {
  token: string;
  pid: number;
  /** When the process started, in the kernel's clock ticks; tells a reused pid. Linux only. */
  startTicks?: string;
  /** Where the owner serves, once it does. */
  url?: string;
}

const nobody: FolderOwner = { token: 'nobody', pid: 0 };

export class DataFolderBusyError extends Error {
  constructor(
    readonly folder: string,
    readonly owner: FolderOwner,
  ) {
    const where = owner.url === undefined ? '' : ` and serves ${owner.url}`;
    super(
      `The data folder ${folder} is in use: process ${owner.pid} holds it${where}. ` +
        `Stop that process, or set TURNPIKE_DATA_DIR to another folder.`,
    );
    this.name = 'DataFolderBusyError';
  }
}

/**
 * Takes a data folder for this process alone: two embedded databases on one folder would destroy
 * it. A folder whose owner has died is taken over at once.
 *
 * @throws DataFolderBusyError when a living process holds it.
 */
export async function lockDataFolder(folder: string): Promise<{
  publish(url: string): Promise<void>;
  release(): Promise<void>;
}> {
  await mkdir(folder, { recursive: true });
  const file = path.join(folder, 'owner.json');
  const startTicks = await processStartTicks(process.pid);
  const self: FolderOwner = {
    token: randomUUID(),
    pid: process.pid,
    ...(startTicks === undefined ? {} : { startTicks }),
  };
  const holder = await acquire(file, self);
  if (holder !== undefined) throw new DataFolderBusyError(folder, holder);
  return {
    publish: (url) => writeWhole(file, { ...self, url }),
    release: () => releaseFile(file, self),
  };
}

/** The living owner of a folder, if any. */
export async function livingOwner(folder: string): Promise<FolderOwner | undefined> {
  const owner = await readOwner(path.join(folder, 'owner.json'));
  return owner !== undefined && (await isAlive(owner)) ? owner : undefined;
}

async function createExclusively(file: string, owner: FolderOwner): Promise<boolean> {
  // Linked into place whole: a reader must never take a half-written file for a dead owner's.
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
 * Makes `file` ours, or says who lives and has it.
 *
 * Of many that find a dead owner's file, the one that takes the file named after that owner writes
 * its own over it, so that `file` never goes missing and its living owner is never written over.
 * Whoever dies at that is a dead owner in turn.
 */
async function acquire(file: string, self: FolderOwner): Promise<FolderOwner | undefined> {
  while (!(await createExclusively(file, self))) {
    const owner = await readOwner(file);
    if (owner === undefined) continue;
    if (await isAlive(owner)) return owner;
    const takeover = `${file}.${owner.token}.takeover`;
    if ((await acquire(takeover, self)) !== undefined) continue;
    const isStillDeads = (await readOwner(file))?.token === owner.token;
    if (isStillDeads) await writeWhole(file, self);
    await releaseFile(takeover, self);
    if (isStillDeads) return undefined;
  }
  return undefined;
}

async function releaseFile(file: string, self: FolderOwner): Promise<void> {
  const owner = await readOwner(file);
  if (owner?.token === self.token) await rm(file, { force: true });
}

/** Undefined when there is no such file. What no owner wrote counts as a dead one's. */
async function readOwner(file: string): Promise<FolderOwner | undefined> {
  try {
    const value: unknown = JSON.parse(await readFile(file, 'utf8'));
    if (!isPlainObject(value) || typeof value['pid'] !== 'number') return nobody;
    const { token, pid, startTicks, url } = value;
    return {
      token: String(token),
      pid,
      ...(typeof startTicks === 'string' ? { startTicks } : {}),
      ...(typeof url === 'string' ? { url } : {}),
    };
  } catch (error) {
    if (error instanceof SyntaxError) return nobody;
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}

async function isAlive(owner: FolderOwner): Promise<boolean> {
  // Zero and below name groups of processes, this one's own among them.
  if (owner.pid <= 0) return false;
  try {
    process.kill(owner.pid, 0);
  } catch (error) {
    // EPERM: it lives, and belongs to somebody else.
    return errorCode(error) === 'EPERM';
  }
  const ticks = await processStartTicks(owner.pid);
  return owner.startTicks === undefined || ticks === undefined || ticks === owner.startTicks;
}

async function processStartTicks(pid: number): Promise<string | undefined> {
  try {
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
    // The command's name is in parentheses and may hold spaces; the start time is field 22.
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19];
  } catch (error) {
    if (errorCode(error) === 'ENOENT' || errorCode(error) === 'ESRCH') return undefined;
    throw error;
  }
}
