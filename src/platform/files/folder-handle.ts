import { randomUUID } from 'node:crypto';
import {
  constants,
  mkdir,
  open,
  opendir,
  rename,
  rmdir,
  unlink,
  type FileHandle,
} from 'node:fs/promises';
import type { Dirent, Stats } from 'node:fs';
import path from 'node:path';
import { errorCode, unlessGone } from '../error-code.js';

const isLinux = process.platform === 'linux';

/** Linux: a descriptor to walk from, which needs no right to read the folder (`O_PATH`). */
const WALK_ONLY = 0x20_0000;
/** macOS: no part of the path may be a link (`O_NOFOLLOW_ANY`). */
const NO_LINK_AT_ALL = 0x2000_0000;
const noLink = isLinux ? constants.O_NOFOLLOW : NO_LINK_AT_ALL;
const folderFlags = constants.O_DIRECTORY | noLink | (isLinux ? WALK_ONLY : constants.O_RDONLY);

/** Mode of folders that are made: the owner's alone, whatever the umask. */
const NEW_FOLDER = 0o700;

/**
 * A folder that is held open by its descriptor. What is opened in it is in this folder, wherever its path
 * leads by now: a command that exchanges a folder for a link while a tool runs leads the tool nowhere else.
 *
 * Each part of a path is opened in the folder before it, and none may be a link: links are resolved, and the result is
 * judged, before anything is opened. Linux opens a part in a folder through `/proc/self/fd`. macOS opens whole paths
 * that may have no link; entries are made, renamed and deleted there by their paths. It has no sandbox for commands
 * either: what could exchange a folder there has all rights of the server's user already.
 */
export class FolderHandle {
  private constructor(
    /** As it was walked: absolute, without links. */
    readonly path: string,
    private readonly handle: FileHandle,
  ) {}

  /**
   * Opens a folder.
   *
   * @param folder absolute, without links.
   * @throws the error of the system: ENOTDIR also for a link.
   */
  static async open(folder: string): Promise<FolderHandle> {
    const { root } = path.parse(folder);
    if (!isLinux) return new FolderHandle(folder, await open(folder, folderFlags));
    const from = new FolderHandle(root, await open(root, folderFlags));
    return FolderHandle.#walk(from, folder, false);
  }

  /** @param folder in this one or below it: absolute, without links. `make`: whether missing folders are made. */
  async open(folder: string, { make = false } = {}): Promise<FolderHandle> {
    const from = new FolderHandle(this.path, await open(this.at('.'), folderFlags));
    return FolderHandle.#walk(from, folder, make);
  }

  /** Walks from a folder, which is closed on the way. */
  static async #walk(from: FolderHandle, target: string, make: boolean): Promise<FolderHandle> {
    let last = from;
    try {
      for (const name of partsBelow(from.path, target)) {
        const next = await last.#enter(name, make);
        await last.close();
        last = next;
      }
      return last;
    } catch (error) {
      await last.close();
      throw error;
    }
  }

  async #enter(name: string, make: boolean): Promise<FolderHandle> {
    const entry = this.at(name);
    const enter = async () =>
      new FolderHandle(path.join(this.path, name), await open(entry, folderFlags));
    if (!make) return enter();
    try {
      return await enter();
    } catch (error) {
      if (errorCode(error) !== 'ENOENT') throw error;
    }
    await mkdir(entry, { mode: NEW_FOLDER }).catch((error: unknown) => {
      if (errorCode(error) !== 'EEXIST') throw error;
    });
    return enter();
  }

  /**
   * The path of an entry, for calls that take a path and do not follow a link at its end (lstat, rename, unlink). It
   * holds as long as the folder is open.
   */
  at(name: string): string {
    return isLinux ? `/proc/self/fd/${this.handle.fd}/${name}` : path.join(this.path, name);
  }

  /**
   * Opens a file of this folder. A link is ELOOP. A named pipe does not block.
   *
   * @param name one part of a path.
   */
  openFile(name: string, flags = constants.O_RDONLY, mode?: number): Promise<FileHandle> {
    return open(this.at(name), flags | noLink | constants.O_NONBLOCK, mode);
  }

  /** The entries of the folder. */
  async *entries(): AsyncGenerator<Dirent> {
    yield* await opendir(this.at('.'), { bufferSize: 256 });
  }

  /**
   * Deletes all that is in the folder. What is in its folders is moved up first, so that any depth takes two descriptors.
   *
   * @throws the error of the system, as ENOTEMPTY where something is added to a folder meanwhile.
   */
  async removeAll(): Promise<void> {
    for (let left = await this.#names(); left.length > 0; left = await this.#names()) {
      for (const name of left) {
        const inner = await unlessGone(this.#enter(name, false));
        if (inner === undefined) {
          await unlink(this.at(name)).catch((error: unknown) => {
            if (errorCode(error) !== 'ENOENT') throw error;
          });
          continue;
        }
        await closing(inner, async () => {
          for (const child of await inner.#names()) {
            await rename(inner.at(child), this.at(randomUUID()));
          }
        });
        await rmdir(this.at(name));
      }
    }
  }

  async #names(): Promise<string[]> {
    const names: string[] = [];
    for await (const { name } of this.entries()) names.push(name);
    return names;
  }

  /** What tells the folder from any other, as `stat -c %d:%i` prints it. */
  async identity(): Promise<string> {
    const { dev, ino } = await this.handle.stat({ bigint: true });
    return `${dev}:${ino}`;
  }

  close(): Promise<void> {
    return this.handle.close();
  }
}

/** @throws Error for a path that is not in the folder: a fault of the caller, who checks paths before. */
function partsBelow(folder: string, target: string): string[] {
  const relative = path.relative(folder, target);
  const parts = relative === '' ? [] : relative.split(path.sep);
  if (parts[0] === '..') throw new Error('The path to open is not below its folder');
  return parts;
}

/** Opens a file. @param file absolute, without links. */
export async function openFile(file: string): Promise<FileHandle> {
  const folder = await FolderHandle.open(path.dirname(file));
  return closing(folder, () => folder.openFile(path.basename(file)));
}

/** Closes a folder or a file after its use. */
export async function closing<T>(
  held: { close(): Promise<void> },
  use: () => Promise<T>,
): Promise<T> {
  try {
    return await use();
  } finally {
    await held.close();
  }
}

/** The first bytes of a file: one that grows meanwhile is read no further. */
export async function readBytes(handle: FileHandle, size: number): Promise<Buffer> {
  const buffer = Buffer.alloc(size);
  let length = 0;
  while (length < size) {
    const { bytesRead } = await handle.read(buffer, length, size - length, length);
    if (bytesRead === 0) break;
    length += bytesRead;
  }
  return buffer.subarray(0, length);
}

/** Mode of files that are made: the owner's alone, as what is written may be nobody else's. */
const NEW_FILE = 0o600;
/** The permission bits of a mode: set-user-id and the like are not passed on to new content. */
const PERMISSIONS = 0o777;
const CREATE = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL;

/** Errors of a folder in which no new file can be made, or no owner be set: the file itself may still be written. */
const needsSameFile: readonly (string | undefined)[] = ['EACCES', 'EPERM', 'EROFS'];

/** An open file that may be written. */
export interface ExistingFile {
  handle: FileHandle;
  stats: Stats;
}

/**
 * Opens a file that is to be changed. The caller closes it.
 *
 * @returns undefined where there is none.
 */
export async function openExisting(
  folder: FolderHandle,
  name: string,
): Promise<ExistingFile | undefined> {
  try {
    const handle = await folder.openFile(name, constants.O_RDWR);
    try {
      return { handle, stats: await handle.stat() };
    } catch (error) {
      await handle.close();
      throw error;
    }
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}

/**
 * Writes a whole file: its new content is there at once or not at all, with the mode and the owner of the file that it
 * replaces. A file with several names (hard links), or whose owner cannot be kept, is written in place, so that it stays
 * one; a process that is killed meanwhile leaves it half written.
 */
export async function replaceFile(
  folder: FolderHandle,
  name: string,
  content: Uint8Array,
  existing?: ExistingFile,
): Promise<void> {
  if (existing !== undefined && existing.stats.nlink > 1) return writeInPlace(existing, content);
  const draft = `.tmp-${process.pid}-${randomUUID()}`;
  try {
    await writeDraft(folder, draft, content, existing?.stats);
    await rename(folder.at(draft), folder.at(name));
  } catch (error) {
    await unlink(folder.at(draft)).catch(() => undefined);
    if (existing === undefined || !needsSameFile.includes(errorCode(error))) throw error;
    await writeInPlace(existing, content);
  }
}

async function writeDraft(
  folder: FolderHandle,
  draft: string,
  content: Uint8Array,
  as: Stats | undefined,
): Promise<void> {
  const handle = await folder.openFile(draft, CREATE, NEW_FILE);
  try {
    if (as !== undefined) {
      const made = await handle.stat();
      if (made.uid !== as.uid || made.gid !== as.gid) await handle.chown(as.uid, as.gid);
      await handle.chmod(as.mode & PERMISSIONS);
    }
    await handle.writeFile(content);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

async function writeInPlace({ handle }: ExistingFile, content: Uint8Array): Promise<void> {
  for (let at = 0; at < content.length;) {
    const { bytesWritten } = await handle.write(content, at, content.length - at, at);
    at += bytesWritten;
  }
  await handle.truncate(content.length);
  await handle.sync();
}
