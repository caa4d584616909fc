import { readdir as readDirectory, type Dirent } from 'node:fs';
import { isWithin } from '../../platform/is-within.js';

type Callback = (error: NodeJS.ErrnoException | null, entries: Dirent[]) => void;

export interface BoundedWalk {
  readdir: typeof readDirectory;
  /** Whether the walk met more entries than it may. */
  cutShort(): boolean;
}

/**
 * A `readdir` for a walker of directories that finds every directory empty once it has listed
 * `limit` entries, so that a pattern over an enormous tree ends.
 *
 * @param hidden folders that are empty too, absolute and without links.
 */
export function boundedWalk(limit: number, hidden: readonly string[] = []): BoundedWalk {
  let seen = 0;
  const readdir = (path: string, options: { withFileTypes: true }, callback: Callback): void => {
    if (seen > limit || hidden.some((one) => isWithin(one, path))) return callback(null, []);
    readDirectory(path, options, (error, entries) => {
      if (error === null) seen += entries.length;
      callback(error, entries);
    });
  };
  // A walker calls the one overload above; the type has all of them.
  return {
    readdir: Object.assign(readdir, {
      __promisify__: readDirectory.__promisify__,
    }) as typeof readDirectory,
    cutShort: () => seen > limit,
  };
}
