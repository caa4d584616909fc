import { access, constants, open, type FileHandle } from 'node:fs/promises';
import { refuseAccess, symlinkRefused } from './check-attachment.js';

export type OpenedAttachment = { handle: FileHandle } | { reason: string };

/**
 * Opens what an attachment's path names, to be checked and read through this one descriptor, so
 * that nobody can swap the file between the check and the read. The caller closes the handle.
 * O_NOFOLLOW refuses a link as the last part; O_NONBLOCK keeps a named pipe from blocking.
 */
export async function openAttachment(path: string): Promise<OpenedAttachment> {
  try {
    const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
    return { handle: await open(path, flags) };
  } catch (error) {
    const code = errorCode(error);
    return { reason: code === 'ELOOP' ? await refuseLink(path) : refuseAccess(code, path) };
  }
}

/** A link to nothing is "not found" before it is a link, as for a client without O_NOFOLLOW. */
async function refuseLink(path: string): Promise<string> {
  try {
    await access(path, constants.R_OK);
    return symlinkRefused;
  } catch (error) {
    return refuseAccess(errorCode(error), path);
  }
}

/** The system's code of an error, for example `ENOENT`. */
export function errorCode(error: unknown): string | undefined {
  const known = typeof error === 'object' && error !== null && 'code' in error;
  return known && typeof error.code === 'string' ? error.code : undefined;
}
