import { readFile } from 'node:fs/promises';
import { errorCode } from '../platform/error-code.js';
import type { parseJson, TextFault } from './parse-text.js';
import type { Parsed } from './parse-value.js';
import { nameOf } from './word-issue.js';

/** A kind of file that the operator writes. */
export interface FileKind<T> {
  /** The variable that names the file. */
  variable: string;
  parseText: typeof parseJson;
  check(value: unknown): Parsed<T>;
}

const largestFile = 1_048_576;

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
  const text = await readFile(file, 'utf8').catch((error: unknown) => {
    const code = errorCode(error);
    if (code === undefined) throw error;
    throw fail({ message: `the file cannot be read (${code}); check its path and permissions` });
  });
  if (text.length > largestFile) throw fail({ message: 'the file is larger than 1 MiB' });
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
