import { lstat, realpath } from 'node:fs/promises';
import path from 'node:path';
import { errorCode, unlessGone } from '../platform/error-code.js';
import { findLookAlike } from '../platform/files/look-alike-names.js';
import { isWithin } from '../platform/is-within.js';

/** Where the files of a turn may be. */
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

/** @param real a path without links. */
export async function isReachedWithin(
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

/**
 * The path that is meant by one that is not there: each missing name is the only one of its folder that looks like it.
 * Folders outside of those that files may be in are not looked into.
 *
 * @param wanted absolute.
 * @returns `near`: names that look like the missing one, or nearly; empty also where nothing may be told.
 */
export async function findMeant(
  wanted: string,
  where: AttachmentFolders,
): Promise<{ path: string } | { near: readonly string[] }> {
  const missing: string[] = [];
  let folder = path.normalize(wanted);
  for (let real = await resolve(folder); real === undefined; real = await resolve(folder)) {
    missing.unshift(path.basename(folder));
    folder = path.dirname(folder);
  }
  for (const name of missing) {
    const real = await resolve(folder);
    if (real === undefined || !(await isReachedWithin(real, where))) return { near: [] };
    if ((await unlessGone(lstat(path.join(real, name)))) !== undefined) {
      folder = path.join(real, name);
      continue;
    }
    const found = await lookAlikeIn(real, name);
    if ('near' in found) return { near: await openAmong(found.near, real, where) };
    folder = path.join(real, found.only);
  }
  return { path: folder };
}

async function resolve(folder: string): Promise<string | undefined> {
  return unlessGone(realpath(folder));
}

/** A folder that may be entered and not listed has no names to tell. */
async function lookAlikeIn(folder: string, name: string) {
  try {
    return await findLookAlike(folder, name);
  } catch (error) {
    if (errorCode(error) === 'EACCES') return { near: [] };
    throw error;
  }
}

const NAMED = 5;

async function openAmong(
  names: readonly string[],
  folder: string,
  where: AttachmentFolders,
): Promise<string[]> {
  const open: string[] = [];
  for (const name of names) {
    if (await isReachedWithin(path.join(folder, name), where)) open.push(name);
    if (open.length === NAMED) break;
  }
  return open;
}
