import { access, constants, realpath, type FileHandle } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { openFile } from '../platform/files/held-folder.js';
import { isWithin } from '../platform/is-within.js';
import { errorCode } from '../platform/error-code.js';
import { outsideRefused, refuseAccess, refuseKind, symlinkRefused } from './check-attachment.js';

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
