import { constants, lstat, open, type FileHandle } from 'node:fs/promises';
import path from 'node:path';
import { errorCode } from '../platform/error-code.js';
import { resolveInside } from '../platform/resolve-inside.js';

export type ReadText = { text: string } | { fault: string };

const LONGEST_PATH = 1_000;

/** A folder, and the one around it that its links must not leave. */
export interface Enclosed {
  /** Absolute. */
  root: string;
  /** Below `root`, with `/`. */
  folder: string;
}

/**
 * Reads a text file below a folder. Links may lead to other places inside of the folder, and nowhere else;
 * a folder that is exchanged for a link meanwhile does not help, as the file that was opened must be the one that
 * the path names afterwards.
 *
 * @param file relative, with `/`.
 * @param most bytes that the file may have.
 * @returns the text, or `fault`, which completes the file's name: `is …`.
 */
export async function readInside(place: Enclosed, file: string, most: number): Promise<ReadText> {
  const fault = pathFault(file);
  if (fault !== undefined) return { fault };
  const real = await resolveFile(place, file);
  if (real === undefined) return { fault: 'is no file of this folder' };
  const handle = await openFile(real);
  if (handle === undefined) return { fault: 'is no file that can be read' };
  try {
    const stats = await handle.stat({ bigint: true });
    if (!stats.isFile()) return { fault: 'is no regular file' };
    if (stats.size > BigInt(most)) {
      return { fault: `has ${stats.size} bytes, and the most is ${most}` };
    }
    const bytes = await readBytes(handle, Number(stats.size));
    const again = await resolveFile(place, file);
    const named = again === real ? await lstat(real, { bigint: true }) : undefined;
    if (named?.ino !== stats.ino || named.dev !== stats.dev) {
      return { fault: 'was exchanged while it was read: read it again' };
    }
    return toText(bytes);
  } finally {
    await handle.close();
  }
}

async function resolveFile({ root, folder }: Enclosed, file: string): Promise<string | undefined> {
  const real = await resolveInside(root, folder);
  return real && resolveInside(real, file);
}

function pathFault(file: string): string | undefined {
  if (file.includes('\0')) return 'is no path: it has a NUL';
  if (file.length > LONGEST_PATH) return `is longer than ${LONGEST_PATH} characters`;
  if (path.isAbsolute(file)) return 'must be relative to the folder of the skill';
  if (path.normalize(file).split(path.sep)[0] === '..') return 'leads out of the folder';
  return undefined;
}

const unreadable: readonly (string | undefined)[] = ['ENOENT', 'ELOOP', 'ENXIO', 'EACCES', 'EPERM'];

async function openFile(file: string): Promise<FileHandle | undefined> {
  try {
    // Without O_NONBLOCK the open of a named pipe would wait for a writer.
    return await open(file, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW);
  } catch (error) {
    if (unreadable.includes(errorCode(error))) return undefined;
    throw error;
  }
}

/** The first bytes of a file: one that grows meanwhile is read no further. */
async function readBytes(handle: FileHandle, size: number): Promise<Buffer> {
  const buffer = Buffer.alloc(size);
  let length = 0;
  while (length < size) {
    const { bytesRead } = await handle.read(buffer, length, size - length, length);
    if (bytesRead === 0) break;
    length += bytesRead;
  }
  return buffer.subarray(0, length);
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
