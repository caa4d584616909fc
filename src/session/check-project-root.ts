import { constants } from 'node:fs';
import { access, realpath, stat } from 'node:fs/promises';
import path from 'node:path';
import { invalidRequest } from '../errors/typed-error.js';
import type { OwnPaths } from '../governance/permissions/own-paths.js';
import { isWithin } from '../platform/is-within.js';
import { resolveLinks } from '../tools/calls/call-paths.js';
import { rootConflict, rootInaccessible, rootNotOpen, rootOfServer } from './session-errors.js';

/** Folders that no session works in. */
export interface ForbiddenRoots {
  instructionRoot: string;
  /** Resolved in advance: every turn asks twice. */
  ownPaths: Pick<OwnPaths, 'closed' | 'hidden' | 'protected'>;
}

/** Folders that a principal's sessions may work in, with all folders inside. */
export interface OpenRoots {
  /** The principal's folder in `projectsDir`. */
  own: string;
  /** Folders that the operator named, for all or for the principal's key. */
  named: readonly string[];
  /** Parent of every principal's own folder. */
  projectsDir: string;
}

/**
 * Checks a project root, in the contract's order: absolute (400), outside the instruction root and
 * the server's own folders, before and after links are resolved (409), inside an open folder (409,
 * whether or not it exists), an existing folder (404), readable and writable (404).
 *
 * @param open undefined: any folder of the machine.
 * @returns the normalised path, and the path without links.
 */
export async function checkProjectRoot(
  given: string,
  forbidden: ForbiddenRoots,
  open?: OpenRoots,
): Promise<{ projectRoot: string; real: string }> {
  if (!path.isAbsolute(given) || given.includes('\0')) {
    throw invalidRequest("'projectRoot' must be an absolute path", { projectRoot: given });
  }
  const projectRoot = withoutTrailingSlash(path.normalize(given));
  assertAllowed(projectRoot, projectRoot, forbidden);
  const [found, isUsable] = await Promise.all([
    realpath(projectRoot).catch(() => undefined),
    canUse(projectRoot),
  ]);
  const real = found ?? projectRoot;
  assertAllowed(projectRoot, real, forbidden);
  if (open !== undefined) {
    const resolved = found ?? (await resolveLinks(projectRoot));
    if (!(await isOpen(resolved, open, forbidden.ownPaths.hidden))) {
      throw rootNotOpen(projectRoot, { ...open, instructionRoot: forbidden.instructionRoot });
    }
  }
  if (!isUsable) throw rootInaccessible(projectRoot, await describeFault(projectRoot));
  return { projectRoot, real };
}

/** @param folder without links. */
async function isOpen(
  folder: string,
  open: OpenRoots,
  hidden: readonly string[],
): Promise<boolean> {
  const [own = '', projectsDir = '', ...named] = await Promise.all(
    [open.own, open.projectsDir, ...open.named].map(resolveLinks),
  );
  if (isWithin(own, folder)) return true;
  // Another principal's folder is never open, whatever the operator names.
  if (isWithin(projectsDir, folder)) return false;
  return named.some(
    (root) =>
      isWithin(root, folder) &&
      // An operator who names a home has not named the keys in it.
      !hidden.some((secret) => isWithin(secret, folder) && !isWithin(secret, root)),
  );
}

/** Whether it is a folder, readable and writable, in one call: only a folder has a `.`. */
async function canUse(projectRoot: string): Promise<boolean> {
  return access(`${projectRoot}/.`, constants.R_OK | constants.W_OK).then(
    () => true,
    () => false,
  );
}

/** @param folder the root before or after links are resolved. */
function assertAllowed(
  projectRoot: string,
  folder: string,
  { instructionRoot, ownPaths }: ForbiddenRoots,
): void {
  if ([instructionRoot, ...ownPaths.protected].some((one) => isWithin(one, folder))) {
    throw rootConflict(projectRoot, instructionRoot);
  }
  if (folder === path.parse(folder).root || ownPaths.closed.some((one) => isWithin(one, folder))) {
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
