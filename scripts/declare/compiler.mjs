/** The compiler over files in memory, for the scripts that write declarations. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

export const root = path.join(path.dirname(fileURLToPath(import.meta.url)), '../..');

/** The name that the package is published under, and imported by. */
export const { name: packageName } = JSON.parse(
  readFileSync(path.join(root, 'package.json'), 'utf8'),
);

/** The options of tsconfig.json. */
export const { options } = ts.parseJsonConfigFileContent(
  ts.readConfigFile(path.join(root, 'tsconfig.json'), ts.sys.readFile).config,
  ts.sys,
  root,
);

/**
 * @param {Iterable<string>} files
 * @param {import('typescript').CompilerOptions} how
 * @param {Map<string, string>} texts of files, which replace those on the disk.
 */
export function createProgram(files, how, texts) {
  const host = ts.createCompilerHost(how);
  const getSourceFile = host.getSourceFile.bind(host);
  host.getSourceFile = (file, ...rest) => {
    const text = texts.get(path.resolve(file));
    return text === undefined
      ? getSourceFile(file, ...rest)
      : ts.createSourceFile(file, text, ...rest);
  };
  return ts.createProgram([...new Set([...files, ...texts.keys()])], how, host);
}

/**
 * @param {string} page a Markdown file, from the root.
 * @param {string} mark of the blocks, after `ts`.
 * @param {(number: number) => string} fileOf the file that a block is compiled as.
 * @returns {Map<string, string>}
 */
export function readBlocks(page, mark, fileOf) {
  const text = readFileSync(path.join(root, page), 'utf8');
  const blocks = [...text.matchAll(new RegExp(`^\`\`\`ts(x?) ${mark}\\n(.*?)^\`\`\`$`, 'gms'))];
  return new Map(blocks.map(([, x = '', code = ''], index) => [fileOf(index + 1) + x, code]));
}

/** Prints the faults and sets a failing exit code. @param {readonly import('typescript').Diagnostic[]} faults */
export function report(faults) {
  if (faults.length === 0) return;
  const host = {
    getCanonicalFileName: (name) => name,
    getCurrentDirectory: () => root,
    getNewLine: () => '\n',
  };
  process.stderr.write(ts.formatDiagnosticsWithColorAndContext(faults, host));
  process.exitCode = 1;
}
