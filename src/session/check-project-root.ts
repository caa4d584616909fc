import { constants } from 'node:fs';
import { access, realpath, stat } from 'node:fs/promises';
import path from 'node:path';
import type { OwnPaths } from '../governance/permissions/own-paths.js';
import { isWithin } from '../platform/is-within.js';
import { invalidRequest } from '../platform/typed-error.js';
import { resolveLinks } from '../tools/calls/resolve-links.js';
import { rootConflict, rootInaccessible, rootNotOpen, rootOfServer } from './session-errors.js';

/** Where no session works. */
export interface ForbiddenRoots {
  instructionRoot: string;
  /** Resolved before, as every turn asks twice. */
  ownPaths: Pick<OwnPaths, 'closed' | 'hidden' | 'protected'>;
}

/** The folders that the sessions of one principal may work in, and in what is inside of them. */
export interface OpenRoots {
  /** Its own in `projectsDir`. */
  own: string;
  /** Named by the operator, for all or for the principal's key. */
  named: readonly string[];
  /** Holds the own folders of all. */
  projectsDir: string;
}

/**
 * The checks of a project root, in the contract's order: absolute (400), outside the instruction
 * root and the server's own folders, as it is written and where it leads (409), inside of what is open
 * (409, whether or not it exists), an existing folder (404), readable and writable (404).
 *
 * @param open undefined: any folder of the machine.
 * @returns the normalised path, and the one without links.
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
    const place = found ?? (await resolveLinks(projectRoot));
    if (!(await isOpen(place, open, forbidden.ownPaths.hidden))) {
      throw rootNotOpen(projectRoot, { ...open, instructionRoot: forbidden.instructionRoot });
    }
  }
  if (!isUsable) throw rootInaccessible(projectRoot, await describeFault(projectRoot));
  return { projectRoot, real };
}

/** @param place without links. */
async function isOpen(place: string, open: OpenRoots, hidden: readonly string[]): Promise<boolean> {
  const [own = '', projectsDir = '', ...named] = await Promise.all(
    [open.own, open.projectsDir, ...open.named].map(resolveLinks),
  );
  if (isWithin(own, place)) return true;
  // Whatever is named: another principal's is never open.
  if (isWithin(projectsDir, place)) return false;
  return named.some(
    (folder) =>
      isWithin(folder, place) &&
      // Who names a home has not named the keys in it.
      !hidden.some((secret) => isWithin(secret, place) && !isWithin(secret, folder)),
  );
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
