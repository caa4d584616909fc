import { foldersOf, isBelow, MEMORY_ROOT } from '../memory-path.js';
import type { MemoryState } from './memory-file.js';

/** The fault of a new file's path: a folder is there, or a file where it needs a folder. Pure. */
export function findObstacle(path: string, files: MemoryState['files']): string | undefined {
  if (isFolder(path, files)) return `The path ${path} is a directory.`;
  const file = foldersOf(path).find((folder) => files.has(folder));
  return file === undefined ? undefined : `The path ${file} is not a directory.`;
}

/** Whether a path is of a folder: it is there as long as a file is in it. */
export function isFolder(path: string, files: MemoryState['files']): boolean {
  return path === MEMORY_ROOT || [...files.keys()].some((one) => isBelow(one, path));
}
