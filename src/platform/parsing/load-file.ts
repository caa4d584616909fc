import { readFile, constants, open } from 'node:fs/promises';
import { errorCode } from '../error-code.js';
import { readWritten, type WrittenText } from '../text/written-text.js';
import type { parseJson, TextFault } from './parse-text.js';
import { type Parsed, nameOf } from './parse-value.js';

/** A kind of file that the operator writes. */
export interface FileKind<T> {
  /** The variable that names the file. */
  variable: string;
  parseText: typeof parseJson;
  check(value: unknown): Parsed<T>;
}

const MAX_FILE_CHARS = 1_048_576;

/** A file of the operator is not valid; the message lists its faults by line. */
export class FileInvalidError extends Error {
  override readonly name = 'FileInvalidError';

  constructor(variable: string, file: string, faults: readonly TextFault[]) {
    const lines = faults.map(({ line, message }) =>
      line === undefined ? `  - ${file}: ${message}` : `  - ${file}:${line}: ${message}`,
    );
    super(`${variable} is not valid:\n${lines.join('\n')}\nCorrect the file, and start again.`);
  }
}

/** Loads a file of at most 1 MiB. @throws FileInvalidError that lists every fault, by line. */
export async function loadFile<T>(file: string, kind: FileKind<T>): Promise<T> {
  const { variable, parseText, check } = kind;
  const fail = (...faults: TextFault[]) => new FileInvalidError(variable, file, faults);
  const bytes = await readFile(file).catch((error: unknown) => {
    const code = errorCode(error);
    if (code === undefined) throw error;
    throw fail({ message: `the file cannot be read (${code}); check its path and permissions` });
  });
  const written = readWritten(bytes);
  if ('fault' in written) throw fail({ message: `the file ${written.fault}; save it as UTF-8` });
  const { text } = written;
  if (text.length > MAX_FILE_CHARS) throw fail({ message: 'the file is larger than 1 MiB' });
  const parsed = parseText(text);
  if ('fault' in parsed) {
    throw fail({ ...parsed.fault, message: `the file cannot be parsed: ${parsed.fault.message}` });
  }
  const { value, faults } = check(parsed.value);
  if (faults === undefined) return value;
  const found = faults.map(({ path, message }) => ({
    line: parsed.lineOf(path),
    message: `${nameOf(path) || 'the file'} ${message}`,
  }));
  throw fail(...found.sort((a, b) => a.line - b.line));
}

const missing = new Set(['ENOENT', 'ENOTDIR', 'ELOOP', 'ENXIO']);

/**
 * Parses each version of a file once. A version is inode, times and size: an edit takes effect at the next
 * load, and an unchanged file costs one open and one stat.
 */
export class ParsedFiles<T> {
  readonly #known = new Map<string, { version: string; value: T }>();

  /**
   * The parsed file; undefined when `path` is no regular file.
   *
   * @param parse is given the text, or what is wrong with the bytes.
   */
  async load(path: string, parse: (written: WrittenText) => T): Promise<T | undefined> {
    const handle = await openIfThere(path);
    if (handle === undefined) return undefined;
    try {
      const stats = await handle.stat({ bigint: true });
      if (!stats.isFile()) return undefined;
      const version = `${stats.dev}:${stats.ino}:${stats.mtimeNs}:${stats.ctimeNs}:${stats.size}`;
      const known = this.#known.get(path);
      if (known?.version === version) return known.value;
      const bytes = await handle.readFile();
      // A concurrent load of the same version may have finished first: all callers get its value.
      const concurrent = this.#known.get(path);
      if (concurrent?.version === version) return concurrent.value;
      const value = parse(readWritten(bytes));
      this.#known.set(path, { version, value });
      return value;
    } finally {
      await handle.close();
    }
  }
}

async function openIfThere(path: string) {
  try {
    // Without O_NONBLOCK the open of a named pipe would wait for a writer.
    return await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch (error) {
    if (missing.has((error as NodeJS.ErrnoException).code ?? '')) return undefined;
    throw error;
  }
}
