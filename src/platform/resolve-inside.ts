import { realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { errorCode } from './error-code.js';
import { isWithin } from './is-within.js';

/** Codes of a path that leads to nothing. */
const nowhere: readonly (string | undefined)[] = ['ENOENT', 'ENOTDIR', 'ELOOP'];

/** The real path of `file` below `root`; undefined when it does not exist or its links lead outside. */
export async function resolveInside(root: string, file: string): Promise<string | undefined> {
  try {
    const [realRoot, path] = await Promise.all([realpath(root), realpath(join(root, file))]);
    return isWithin(realRoot, path) ? path : undefined;
  } catch (error) {
    if (nowhere.includes(errorCode(error))) return undefined;
    throw error;
  }
}
