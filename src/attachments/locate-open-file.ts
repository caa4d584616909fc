import { readlink, realpath, type FileHandle } from 'node:fs/promises';
import { errorCode } from '../platform/error-code.js';

/**
 * The path of an open file, without links. Linux has the path of a descriptor, so that no folder on the way can be
 * swapped for a link in between; on other systems the path is resolved again.
 */
export async function locateOpenFile(handle: FileHandle, path: string): Promise<string> {
  try {
    return await readlink(`/proc/self/fd/${handle.fd}`);
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error;
    return realpath(path);
  }
}
