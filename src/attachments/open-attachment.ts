import { access, constants, lstat, open, realpath, type FileHandle } from 'node:fs/promises';
import { isWithin } from '../platform/is-within.js';
import { errorCode } from '../platform/error-code.js';
import { outsideRefused, refuseAccess, refuseKind, symlinkRefused } from './check-attachment.js';
import { locateOpenFile } from './locate-open-file.js';

export type OpenedAttachment = { handle: FileHandle; size: number } | { reason: string };

export interface AttachmentFolders {
  /** Folders, one of which must contain the file once every link is resolved. */
  roots: readonly string[];
  /** The server's own folders, links resolved, from which no file is taken; absent: none. */
  closed?: readonly string[];
  /** Folders from which files are taken only for a root inside of them; absent: none. */
  hidden?: readonly string[];
}

/**
 * Opens an attachment by its path. The check and the read use this one descriptor, so that nobody can
 * swap the file between them. The caller closes the handle.
 */
export async function openAttachment(
  path: string,
  where: AttachmentFolders,
): Promise<OpenedAttachment> {
  const opened = await openFile(path);
  if ('reason' in opened) return opened;
  const { handle } = opened;
  const checked = await check(handle, path, where);
  if ('reason' in checked) await handle.close();
  return checked;
}

/** O_NOFOLLOW refuses a link as the last part; O_NONBLOCK keeps a named pipe from blocking. */
async function openFile(path: string): Promise<{ handle: FileHandle } | { reason: string }> {
  try {
    const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
    return { handle: await open(path, flags) };
  } catch (error) {
    const code = errorCode(error);
    return { reason: code === 'ELOOP' ? await refuseLink(path) : refuseAccess(code, path) };
  }
}

async function check(
  handle: FileHandle,
  path: string,
  where: AttachmentFolders,
): Promise<OpenedAttachment> {
  try {
    const stats = await handle.stat({ bigint: true });
    const reason = refuseKind(stats);
    if (reason !== undefined) return { reason };
    const real = await locateOpenFile(handle, path);
    const isReached = await isReachedWithin(stats, real, where);
    return isReached ? { handle, size: Number(stats.size) } : { reason: outsideRefused };
  } catch (error) {
    return { reason: refuseAccess(errorCode(error), path) };
  }
}

/** Whether a path without links leads to the open file, inside one of the roots. */
async function isReachedWithin(
  opened: { dev: bigint; ino: bigint },
  real: string,
  { roots, closed = [], hidden = [] }: AttachmentFolders,
): Promise<boolean> {
  const found = await lstat(real, { bigint: true });
  if (found.dev !== opened.dev || found.ino !== opened.ino) return false;
  const resolved = await Promise.all(roots.map(resolveRoot));
  if (closed.some((folder) => isWithin(folder, real))) return false;
  return resolved.some(
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
