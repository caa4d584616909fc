/** The root of every memory. */
export const MEMORY_ROOT = '/memories';

const MAX_BYTES = 512;
const MAX_LEVELS = 8;

/** Control and format characters, unpaired surrogates, and what a file system or a URL reads otherwise. */
const refusedCharacters = /[\p{C}\p{Zl}\p{Zp}\\%]/u;

export type ParsedPath = { path: string } | { problem: string };

/**
 * The one spelling of a path in a memory, without a slash at its end. A path is a name and never resolved:
 * whatever another program might read as a step up is refused.
 */
export function parseMemoryPath(given: string): ParsedPath {
  if (given !== MEMORY_ROOT && !given.startsWith(`${MEMORY_ROOT}/`)) {
    return {
      problem: `Path must start with ${MEMORY_ROOT}, got: ${JSON.stringify(given.slice(0, 100))}`,
    };
  }
  const path = given.normalize('NFC').replace(/\/$/, '');
  if (Buffer.byteLength(path) > MAX_BYTES)
    return { problem: `Path must have at most ${MAX_BYTES} bytes` };
  const shown = JSON.stringify(path);
  const names = path.split('/').slice(2);
  if (names.length > MAX_LEVELS) {
    return { problem: `Path ${shown} must have at most ${MAX_LEVELS} names below ${MEMORY_ROOT}` };
  }
  if (refusedCharacters.test(path)) {
    return {
      problem: `Path ${shown} must have no control characters, backslashes or percent signs`,
    };
  }
  if (names.some((name) => name === '' || name !== name.trim() || name.startsWith('.'))) {
    return {
      problem: `Path ${shown} must have no empty names, none that begin with a dot, and none with blanks around them`,
    };
  }
  return { path };
}

/** Whether a path is of something in the folder. */
export function isBelow(path: string, folder: string): boolean {
  return path.startsWith(`${folder}/`);
}

/** The folders that a file is in, from the outermost, without the root. */
export function foldersOf(path: string): string[] {
  const names = path.split('/');
  return names.slice(3).map((_, index) => names.slice(0, index + 3).join('/'));
}
