import { realpath } from 'node:fs/promises';
import path from 'node:path';
import { openFile, readBytes, unlessGone } from '../platform/files/held-folder.js';
import { isWithin } from '../platform/is-within.js';

export type ReadText = { text: string } | { fault: string };

const LONGEST_PATH = 1_000;

/** A folder, and the one around it that its links must not leave. */
export interface Enclosed {
  /** Absolute, without links. */
  root: string;
  /** What links do not reach, without links. */
  hidden: readonly string[];
  /** Below `root`, with `/`. */
  folder: string;
}

/**
 * Reads a text file below a folder. Links may lead to other places inside of the folder, and nowhere else; what is opened
 * is what they led to, also when a folder on the way is exchanged for a link meanwhile.
 *
 * @param file relative, with `/`.
 * @param most bytes that the file may have.
 * @returns the text, or `fault`, which completes the file's name: `is …`.
 */
export async function readInside(place: Enclosed, file: string, most: number): Promise<ReadText> {
  const fault = pathFault(file);
  if (fault !== undefined) return { fault };
  const folder = await resolveBelow(place.root, place.folder, place.hidden);
  const real = folder && (await resolveBelow(folder, file, place.hidden));
  if (real === undefined) return { fault: 'is no file of this folder' };
  const handle = await unlessGone(openFile(real));
  if (handle === undefined) return { fault: 'is no file that can be read' };
  try {
    const stats = await handle.stat();
    if (!stats.isFile()) return { fault: 'is no regular file' };
    if (stats.size > most) return { fault: `has ${stats.size} bytes, and the most is ${most}` };
    return toText(await readBytes(handle, stats.size));
  } finally {
    await handle.close();
  }
}

/**
 * Where a path leads below a folder without links; undefined when it does not exist, leads out of it, or to what is
 * hidden.
 */
export async function resolveBelow(
  folder: string,
  file: string,
  hidden: readonly string[],
): Promise<string | undefined> {
  const real = await unlessGone(realpath(path.join(folder, file)));
  if (real === undefined || !isWithin(folder, real)) return undefined;
  return hidden.some((one) => isWithin(one, real)) ? undefined : real;
}

function pathFault(file: string): string | undefined {
  if (file.includes('\0')) return 'is no path: it has a NUL';
  if (file.length > LONGEST_PATH) return `is longer than ${LONGEST_PATH} characters`;
  if (path.isAbsolute(file)) return 'must be relative to the folder of the skill';
  if (path.normalize(file).split(path.sep)[0] === '..') return 'leads out of the folder';
  return undefined;
}

function toText(bytes: Buffer): ReadText {
  const binary = { fault: 'is not text in UTF-8' };
  if (bytes.includes(0)) return binary;
  try {
    return { text: new TextDecoder('utf-8', { fatal: true }).decode(bytes) };
  } catch {
    return binary;
  }
}
