import { existsSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

/** The package's folder: the nearest with a `package.json` above this file, in `src/` and in the build. */
export const packageRoot = findPackage(path.dirname(fileURLToPath(import.meta.url)));

function findPackage(folder: string): string {
  if (existsSync(path.join(folder, 'package.json'))) return folder;
  const parent = path.dirname(folder);
  if (parent === folder) throw new Error('There is no package.json above this code');
  return findPackage(parent);
}
