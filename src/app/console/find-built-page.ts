import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { packageRoot } from '../../platform/process/package-root.js';

/** The folder of the built console. */
export const builtPage = path.join(packageRoot, 'dist/web');

/** A file of the page with its compressed copies. */
export interface PageFile {
  /** The path relative to the folder. */
  name: string;
  /** The name contains a hash of the content: the file never changes and may be cached for ever. */
  isHashed: boolean;
  /** The encodings of its copies, the smallest first. */
  encodings: readonly Encoding[];
}

/** Encodings as `Accept-Encoding` names them → the suffix of their files. */
export const encodings = { br: '.br', gzip: '.gz' } as const;
export type Encoding = keyof typeof encodings;

/** The file of the page itself. */
export const INDEX = 'index.html';

/** The folder of the files with hashed names. */
const HASHED = 'assets/';

/**
 * The files of the built page by their paths on the server, `/assets/index-Bx7.js`. Only these are
 * served, whatever the folder gets later.
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
      encodings: (['br', 'gzip'] as const).filter((encoding) =>
        names.has(name + encodings[encoding]),
      ),
    });
  }
  return files;
}

/** Lists the files of a folder and its subfolders; none where it does not exist. */
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
