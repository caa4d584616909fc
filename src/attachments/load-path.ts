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
  symlinkRefused,
  cleanName,
} from './file-limits.js';
import { openFile } from '../platform/files/folder-handle.js';
import { isWithin } from '../platform/is-within.js';

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
 */
export async function loadPath(
  path: string,
  { store, refuseSize, ...where }: PathRules,
): Promise<{ file: ReceivedFile } | { reason: string }> {
  if (!isAbsolute(path)) return { reason: 'Attachment path must be absolute' };
  const opened = await openAttachment(path, where);
  if ('reason' in opened) return opened;
  const { handle, size } = opened;
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
    return { file: { ...stored, name: cleanName(basename(path)) } };
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

export type OpenedAttachment = { handle: FileHandle; size: number } | { reason: string };

export interface AttachmentFolders {
  /** The session's, without links: a folder in which the file may be. Absent: none. */
  projectRoot?: string;
  /** The operator's folders, in which the file may be too once every link is resolved. */
  roots: readonly string[];
  /** The server's own folders, links resolved, from which no file is taken; absent: none. */
  closed?: readonly string[];
  /** Folders from which files are taken only for a root inside of them; absent: none. */
  hidden?: readonly string[];
}

/**
 * Opens an attachment by its path. Where the path leads is resolved first; what is opened is that, without following a
 * link, and nothing is read before it was judged. The caller closes the handle.
 */
export async function openAttachment(
  path: string,
  where: AttachmentFolders,
): Promise<OpenedAttachment> {
  const opened = await openResolved(path);
  if ('reason' in opened) return opened;
  const { handle, real } = opened;
  const checked = await check(handle, { path, real, where });
  if ('reason' in checked) await handle.close();
  return checked;
}

/** Links may lead to the folder of a file. The file itself must be none. */
async function openResolved(
  path: string,
): Promise<{ handle: FileHandle; real: string } | { reason: string }> {
  try {
    const real = join(await realpath(dirname(path)), basename(path));
    return { handle: await openFile(real), real };
  } catch (error) {
    const code = errorCode(error);
    return { reason: code === 'ELOOP' ? await refuseLink(path) : refuseAccess(code, path) };
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
    return isOpen ? { handle, size: stats.size } : { reason: outsideRefused };
  } catch (error) {
    return { reason: refuseAccess(errorCode(error), path) };
  }
}

/** @param real the path of the open file, without links. */
async function isReachedWithin(
  real: string,
  { projectRoot, roots, closed = [], hidden = [] }: AttachmentFolders,
): Promise<boolean> {
  if (closed.some((folder) => isWithin(folder, real))) return false;
  const open = [projectRoot, ...(await Promise.all(roots.map(resolveRoot)))];
  return open.some(
    (root) =>
      root !== undefined &&
      isWithin(root, real) &&
      !hidden.some((folder) => isWithin(folder, real) && !isWithin(folder, root)),
  );
}

async function resolveRoot(root: string): Promise<string | undefined> {
  try {
    return await realpath(root);
  } catch {
    // A root that is missing, or may not be entered, allows no file; the other roots still count.
    return undefined;
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
