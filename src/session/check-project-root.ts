import { constants } from 'node:fs';
import { access, realpath, stat } from 'node:fs/promises';
import path from 'node:path';
import type { OwnPaths } from '../governance/own-paths.js';
import { isWithin } from '../platform/is-within.js';
import { invalidRequest } from '../platform/typed-error.js';
import { rootConflict, rootInaccessible, rootOfServer } from './session-errors.js';

/** Where no session works. */
export interface ForbiddenRoots {
  instructionRoot: string;
  /** Resolved before, as every turn asks twice. */
  ownPaths: Pick<OwnPaths, 'closed' | 'protected'>;
}

/**
 * The checks of a project root, in the contract's order: absolute (400), outside the instruction
 * root and the server's own folders, as it is written and where it leads (409), an existing folder
 * (404), readable and writable (404).
 *
 * @returns the normalised path.
 */
export async function checkProjectRoot(given: string, forbidden: ForbiddenRoots): Promise<string> {
  if (!path.isAbsolute(given) || given.includes('\0')) {
    throw invalidRequest("'projectRoot' must be an absolute path", { projectRoot: given });
  }
  const projectRoot = withoutTrailingSlash(path.normalize(given));
  assertAllowed(projectRoot, projectRoot, forbidden);
  const [real, isUsable] = await Promise.all([
    realpath(projectRoot).catch(() => projectRoot),
    canUse(projectRoot),
  ]);
  assertAllowed(projectRoot, real, forbidden);
  if (!isUsable) throw rootInaccessible(projectRoot, await describeFault(projectRoot));
  return projectRoot;
}

/** One question for all of it: only a folder has a `.`. */
async function canUse(projectRoot: string): Promise<boolean> {
  return access(`${projectRoot}/.`, constants.R_OK | constants.W_OK).then(
    () => true,
    () => false,
  );
}

/** @param place the root as it is written, or where it leads. */
function assertAllowed(
  projectRoot: string,
  place: string,
  { instructionRoot, ownPaths }: ForbiddenRoots,
): void {
  if ([instructionRoot, ...ownPaths.protected].some((one) => isWithin(one, place))) {
    throw rootConflict(projectRoot, instructionRoot);
  }
  if (place === path.parse(place).root || ownPaths.closed.some((one) => isWithin(one, place))) {
    throw rootOfServer(projectRoot, instructionRoot);
  }
}

async function describeFault(projectRoot: string) {
  const found = await stat(projectRoot).catch(() => undefined);
  if (found === undefined) return 'does not exist';
  if (!found.isDirectory()) return 'is not a folder';
  return 'cannot be read and written by the server';
}

function withoutTrailingSlash(folder: string): string {
  return folder.length > 1 && folder.endsWith(path.sep) ? folder.slice(0, -1) : folder;
}
