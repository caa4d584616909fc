import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { errorCode } from '../error-code.js';

/** The package's folder: the nearest with a `package.json` above this file, in `src/` and in the build. */
export const packageRoot = findPackage(path.dirname(fileURLToPath(import.meta.url)));

/** The version in `package.json`. */
export const packageVersion = readVersion(path.join(packageRoot, 'package.json'));

/**
 * The commit that the build was made from, with `-dirty` where files had changed since; undefined for sources that
 * are not built, and for a build without git. The build stores it beside this file.
 */
export const packageCommit = readCommit(new URL('./commit', import.meta.url));

function readVersion(file: string): string {
  const { version } = JSON.parse(readFileSync(file, 'utf8')) as { version?: unknown };
  if (typeof version !== 'string') throw new Error(`${file} has no version`);
  return version;
}

function readCommit(file: URL): string | undefined {
  try {
    return readFileSync(file, 'utf8').trim();
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}

function findPackage(folder: string): string {
  if (existsSync(path.join(folder, 'package.json'))) return folder;
  const parent = path.dirname(folder);
  if (parent === folder) throw new Error('There is no package.json above this code');
  return findPackage(parent);
}
