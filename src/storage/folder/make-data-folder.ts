import { access, constants, mkdir, readdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { errorCode } from '../../platform/error-code.js';

/** Codes of the system → what is wrong with a data folder, and what to do about it. */
const faults: Readonly<Record<string, (user: string) => string>> = {
  EACCES: (user) => `${user} may not write it: give it to ${user} (chown -R)`,
  EPERM: (user) => `${user} may not write it: give it to ${user} (chown -R)`,
  EROFS: () => 'its file system is read-only: mount a volume there',
  ENOSPC: () => 'its disk is full: make room',
  EFBIG: () => 'its files may not be as large as 16 MB: raise the limit (ulimit -f)',
  EDQUOT: (user) => `the quota of ${user} is used up: make room`,
  EEXIST: () => 'it is not a folder: remove the file',
  ENOENT: () => 'its file system makes no folders there: correct the path',
  ENOTDIR: () => 'a part of its path is not a folder: correct the path',
};

/** A data folder that this process cannot write. The message, one line, says why and what to do. */
export class DataFolderUnusableError extends Error {
  constructor(folder: string, fault: string, options: ErrorOptions) {
    super(
      `The data folder ${folder} cannot be used, as ${fault}, or set TURNPIKE_DATA_DIR to another folder.`,
      options,
    );
    this.name = 'DataFolderUnusableError';
  }
}

/**
 * Makes a data folder, or checks that this process may write it and what is in it: a part that belongs to a
 * different user would be found by the first statement that needs it.
 *
 * @throws DataFolderUnusableError.
 */
export async function makeDataFolder(folder: string): Promise<void> {
  let place = path.resolve(folder);
  try {
    await makeFolders(place);
    const parts = await readdir(place);
    // The engine's own files have the owner of its folder, but for a folder that was made by a copy.
    for (const part of ['', ...parts, 'db/PG_VERSION']) {
      place = path.join(folder, part);
      await access(place, constants.R_OK | constants.W_OK).catch(ignoreMissing);
    }
  } catch (error) {
    throw explainUnusable(place, error);
  }
}

/** @returns what to do about a folder that the system refuses; the error itself where it says something else. */
export function explainUnusable(folder: string, error: unknown): unknown {
  const fault = faults[errorCode(error) ?? ''];
  if (fault === undefined) return error;
  return new DataFolderUnusableError(path.resolve(folder), fault(describeUser()), { cause: error });
}

/** Makes a folder and those above it. Node's own way never returns in `/proc`, where there is nothing to make. */
async function makeFolders(folder: string): Promise<void> {
  const make = (): Promise<void> =>
    mkdir(folder).catch(async (error: unknown) => {
      const isThere = errorCode(error) === 'EEXIST' && (await stat(folder)).isDirectory();
      if (!isThere) throw error;
    });
  try {
    await make();
  } catch (error) {
    const above = path.dirname(folder);
    if (errorCode(error) !== 'ENOENT' || above === folder) throw error;
    await makeFolders(above);
    await make();
  }
}

/** A part may go between the two calls: the lock of a process that ends. */
function ignoreMissing(error: unknown): void {
  if (errorCode(error) !== 'ENOENT') throw error;
}

function describeUser(): string {
  // Windows has no numbers of users.
  return process.getuid === undefined ? 'this user' : `user ${process.getuid()}`;
}
