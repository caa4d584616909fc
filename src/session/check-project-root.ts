import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import path from 'node:path';
import { invalidRequest } from '../platform/typed-error.js';
import { rootConflict, rootInaccessible } from './session-errors.js';

/**
 * The checks of a project root, in the contract's order: absolute (400), outside the instruction
 * root (409), an existing folder (404), readable and writable (404).
 *
 * @returns the normalised path.
 */
export async function checkProjectRoot(given: string, instructionRoot: string): Promise<string> {
  if (!path.isAbsolute(given) || given.includes('\0')) {
    throw invalidRequest("'projectRoot' must be an absolute path", { projectRoot: given });
  }
  const projectRoot = withoutTrailingSlash(path.normalize(given));
  if (isInside(instructionRoot, projectRoot)) throw rootConflict(projectRoot, instructionRoot);
  try {
    // One question for all of it, as every turn asks twice: only a folder has a `.`.
    await access(`${projectRoot}/.`, constants.R_OK | constants.W_OK);
    return projectRoot;
  } catch {
    throw rootInaccessible(projectRoot, await describeFault(projectRoot));
  }
}

async function describeFault(projectRoot: string) {
  const found = await stat(projectRoot).catch(() => undefined);
  if (found === undefined) return 'does not exist';
  if (!found.isDirectory()) return 'is not a folder';
  return 'cannot be read and written by the server';
}

function isInside(parent: string, child: string): boolean {
  const relative = path.relative(parent, child);
  return (
    relative === '' ||
    (!relative.startsWith(`..${path.sep}`) && relative !== '..' && !path.isAbsolute(relative))
  );
}

function withoutTrailingSlash(folder: string): string {
  return folder.length > 1 && folder.endsWith(path.sep) ? folder.slice(0, -1) : folder;
}
