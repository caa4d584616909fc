import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { packageRoot } from '../platform/package-root.js';

/** Where the build puts the console. */
export const builtPage = path.join(packageRoot, 'dist/web');

/** A file of the page, and the compressed copies beside it. */
export interface PageFile {
  /** Relative to the folder. */
  name: string;
  /** Its name has a hash of its content: what it says once it says for ever. */
  isHashed: boolean;
  /** Most compressed first. */
  encodings: readonly Encoding[];
}

/** By what `Accept-Encoding` calls it, with the end of its files' names. */
export const encodings = { br: '.br', gzip: '.gz' } as const;
export type Encoding = keyof typeof encodings;

/** The page's own file. */
export const INDEX = 'index.html';

/** Files whose names the build gives a hash. */
const HASHED = 'assets/';

/**
 * The files of a built page by their paths on the server, `/assets/index-Bx7.js`. What is not among
 * them is not served, whatever else the folder gets.
 *
 * @returns undefined where no page was built.
 */
export async function findBuiltPage(folder: string): Promise<Map<string, PageFile> | undefined> {
  const names = await listFiles(folder);
  if (!names.has(INDEX)) return undefined;
  const files = new Map<string, PageFile>();
  for (const name of names) {
    const ends = Object.values(encodings);
    if (ends.some((end) => name.endsWith(end) && names.has(name.slice(0, -end.length)))) continue;
    files.set(`/${name}`, {
      name,
      isHashed: name.startsWith(HASHED),
      encodings: (['br', 'gzip'] as const).filter((one) => names.has(name + encodings[one])),
    });
  }
  return files;
}

/** Of a folder and those in it; none where it is not there. */
async function listFiles(folder: string): Promise<ReadonlySet<string>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(
    (error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return [];
      throw error;
    },
  );
  const files = entries.filter((entry) => entry.isFile());
  return new Set(
    files.map(({ parentPath, name }) =>
      path.relative(folder, path.join(parentPath, name)).split(path.sep).join('/'),
    ),
  );
}
