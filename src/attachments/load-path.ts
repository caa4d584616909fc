import { basename, isAbsolute, dirname, join } from 'node:path';
import { access, constants, realpath, type FileHandle } from 'node:fs/promises';
import { errorCode } from '../platform/error-code.js';
import type { BlobStore, ReceivedFile } from './blob-store.js';
import { chunkShare } from '../http/streams/write-stream.js';
import {
  refuseAccess,
  shownPath,
  outsideRefused,
  refuseKind,
  refuseMissing,
  symlinkRefused,
  cleanName,
} from './file-limits.js';
import { openFile } from '../platform/files/folder-handle.js';
import { findMeant, isReachedWithin, type AttachmentFolders } from './attachment-folders.js';

/** Bytes of one read. */
const READ_BYTES = 64 * 1024;

export interface PathRules extends AttachmentFolders {
  store: Pick<BlobStore, 'put'>;
  /** The reason against a file of that many bytes; undefined for none. */
  refuseSize(size: number): string | undefined;
}

/**
 * Loads a file of this machine into the store, checked and read once. A fault of the file is a
 * reason, never an error.
 *
 * @returns `path`: where it is, which may be a name that looks like the one that was asked for.
 */
export async function loadPath(
  asked: string,
  { store, refuseSize, ...where }: PathRules,
): Promise<{ file: ReceivedFile; path: string } | { reason: string }> {
  if (!isAbsolute(asked)) return { reason: 'Attachment path must be absolute' };
  const opened = await openAttachment(asked, where);
  if ('reason' in opened) return opened;
  const { handle, size, path } = opened;
  try {
    const reason = refuseSize(size);
    if (reason !== undefined) return { reason };
    // One byte past the end reveals growth; a file that grows without end is not followed.
    const content = handle.createReadStream({
      start: 0,
      end: size,
      autoClose: false,
      highWaterMark: READ_BYTES,
    });
    const stored = await store.put(readable(content, path));
    if (stored.size !== size)
      return { reason: `Attachment file changed while it was read: ${shownPath(path)}` };
    return { file: { ...stored, name: cleanName(basename(path)) }, path };
  } catch (error) {
    if (error instanceof UnreadableError) return { reason: error.message };
    throw error;
  } finally {
    await handle.close();
  }
}

/** A fault of the file, which becomes a reason; a fault of the store is an error. */
class UnreadableError extends Error {}

async function* readable(content: AsyncIterable<Buffer>, path: string): AsyncGenerator<Buffer> {
  try {
    for await (const chunk of content) {
      await chunkShare.next();
      yield chunk;
    }
  } catch (error) {
    throw new UnreadableError(refuseAccess(errorCode(error), path));
  }
}

export type OpenedAttachment =
  | { handle: FileHandle; size: number; path: string }
  | { reason: string };

/**
 * Opens an attachment by its path, or where nothing is there, by the only path that looks like it. Where the path leads
 * is resolved first; what is opened is that, without following a link, and nothing is read before it was judged. The
 * caller closes the handle.
 */
export async function openAttachment(
  asked: string,
  where: AttachmentFolders,
): Promise<OpenedAttachment> {
  let path = asked;
  let opened = await openResolved(path);
  if ('reason' in opened && opened.isMissing === true) {
    const meant = await lookFor(asked, where);
    if ('reason' in meant) return meant;
    ({ path } = meant);
    opened = await openResolved(path);
  }
  if ('reason' in opened) return { reason: opened.reason };
  const { handle, real } = opened;
  const checked = await check(handle, { path, real, where });
  if ('reason' in checked) await handle.close();
  return checked;
}

async function lookFor(
  asked: string,
  where: AttachmentFolders,
): Promise<{ path: string } | { reason: string }> {
  try {
    const meant = await findMeant(asked, where);
    return 'near' in meant ? { reason: refuseMissing(asked, meant.near) } : meant;
  } catch (error) {
    const code = errorCode(error);
    if (code === undefined) throw error;
    return { reason: refuseAccess(code, asked) };
  }
}

/** Links may lead to the folder of a file. The file itself must be none. */
async function openResolved(
  path: string,
): Promise<{ handle: FileHandle; real: string } | { reason: string; isMissing?: boolean }> {
  try {
    const real = join(await realpath(dirname(path)), basename(path));
    return { handle: await openFile(real), real };
  } catch (error) {
    const code = errorCode(error);
    if (code === 'ELOOP') return { reason: await refuseLink(path) };
    return { reason: refuseAccess(code, path), isMissing: code === 'ENOENT' };
  }
}

async function check(
  handle: FileHandle,
  { path, real, where }: { path: string; real: string; where: AttachmentFolders },
): Promise<OpenedAttachment> {
  try {
    const stats = await handle.stat();
    const reason = refuseKind(stats);
    if (reason !== undefined) return { reason };
    const isOpen = await isReachedWithin(real, where);
    return isOpen ? { handle, size: stats.size, path } : { reason: outsideRefused };
  } catch (error) {
    return { reason: refuseAccess(errorCode(error), path) };
  }
}

/** A dangling link is "not found" rather than a link, as for a client without O_NOFOLLOW. */
async function refuseLink(path: string): Promise<string> {
  try {
    await access(path, constants.R_OK);
    return symlinkRefused;
  } catch (error) {
    return refuseAccess(errorCode(error), path);
  }
}
