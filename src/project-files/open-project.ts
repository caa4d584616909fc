import { lstat, readdir, realpath } from 'node:fs/promises';
import path from 'node:path';
import { readInside } from '../agents/find-skills.js';
import { errorCode, unlessGone } from '../platform/error-code.js';
import { isWithin } from '../platform/is-within.js';
import type { WrittenText } from '../platform/text/written-text.js';

/** Bytes of a file of a project that are read at most. */
const MAX_FILE_BYTES = 262_144;
/** Files of a folder that are looked at at most, and folders inside of each other. */
const MAX_FILES = 500;
const MAX_LEVELS = 8;

/** The files of a project, of which nothing leads out. */
export interface OpenProject {
  /** Absolute, without links. */
  root: string;
  /** A text, or what is wrong with the file; undefined where there is none. @param file below the project, with `/`. */
  read(file: string): Promise<WrittenText | undefined>;
  /** Files below a folder, as `read` takes them, sorted; none where there is no such folder. Links to folders are not followed. */
  list(folder: string): Promise<string[]>;
}

/**
 * Opens the folder of a project.
 *
 * @param hidden folders and files that no link reaches, without links themselves.
 * @throws Error with a code where it is no folder that can be read.
 */
export async function openProject(
  folder: string,
  hidden: readonly string[] = [],
): Promise<OpenProject> {
  const root = await realpath(folder);
  await readdir(root);
  return {
    root,
    read: async (file) => {
      const found = await unlessGone(lstat(path.join(root, file)));
      if (found === undefined) return undefined;
      return readInside({ root, hidden, folder: '.' }, file, MAX_FILE_BYTES);
    },
    list: async (below) => {
      const files: string[] = [];
      const real = await unlessGone(realpath(path.join(root, below)));
      if (real === undefined || !isWithin(root, real)) return files;
      await collect(root, below, { files, level: 0 });
      return files.sort();
    },
  };
}

async function collect(
  root: string,
  folder: string,
  { files, level }: { files: string[]; level: number },
): Promise<void> {
  if (level >= MAX_LEVELS || files.length >= MAX_FILES) return;
  const entries = await entriesOf(path.join(root, folder));
  for (const entry of entries) {
    const below = `${folder}/${entry.name}`;
    if (entry.isDirectory()) await collect(root, below, { files, level: level + 1 });
    else if (files.length < MAX_FILES) files.push(below);
  }
}

async function entriesOf(folder: string) {
  try {
    // A link in the place of the folder leads elsewhere.
    if (!(await lstat(folder)).isDirectory()) return [];
    return await readdir(folder, { withFileTypes: true });
  } catch (error) {
    if (['ENOENT', 'ENOTDIR', 'EACCES'].includes(errorCode(error) ?? '')) return [];
    throw error;
  }
}
