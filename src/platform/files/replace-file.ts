import { constants, rename, unlink, type FileHandle } from 'node:fs/promises';
import type { Stats } from 'node:fs';
import { randomUUID } from 'node:crypto';
import { errorCode } from '../error-code.js';
import type { HeldFolder } from './held-folder.js';

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
  folder: HeldFolder,
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
  folder: HeldFolder,
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
  folder: HeldFolder,
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
