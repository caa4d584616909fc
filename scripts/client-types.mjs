/**
 * The typed client's declarations: `dist/client/*.d.ts`. Its types are the server's own, which would
 * bring the server's packages with them; here they are written out, member by member. What comes of
 * it is compiled as a browser has it, without Node's types, and so are the README's examples.
 * `--check` says what is wrong and writes nothing; `--out DIR` writes elsewhere.
 */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import ts from 'typescript';
import { writeOutTypes } from './client-types/write-out-types.mjs';

const root = path.join(path.dirname(fileURLToPath(import.meta.url)), '..');
const folder = path.join(root, 'src/client');
const served = path.join(folder, 'server-types.ts');
const files = readdirSync(folder)
  .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
  .map((name) => path.join(folder, name));

const { values } = parseArgs({ options: { check: { type: 'boolean' }, out: { type: 'string' } } });
const { options } = ts.parseJsonConfigFileContent(
  ts.readConfigFile(path.join(root, 'tsconfig.json'), ts.sys.readFile).config,
  ts.sys,
  root,
);
const faults = compile(
  new Map([
    [served, writeOutTypes(served, options)],
    ...(values.check === true ? readExamples() : []),
  ]),
);
if (faults.length > 0) {
  process.stderr.write(ts.formatDiagnosticsWithColorAndContext(faults, reportHost()));
  process.exitCode = 1;
}

/** @param {Map<string, string>} texts of files, in place of what the disk has. */
function compile(texts) {
  /** @type {import('typescript').CompilerOptions} */
  const browser = {
    ...options,
    lib: ['lib.es2022.d.ts', 'lib.dom.d.ts'],
    types: [],
    paths: { 'turnpike/client': [path.join(folder, 'turnpike-client.ts')] },
    noEmit: values.check === true,
    declaration: true,
    emitDeclarationOnly: true,
    rootDir: folder,
    outDir: path.resolve(values.out ?? path.join(root, 'dist/client')),
  };
  const host = ts.createCompilerHost(browser);
  const getSourceFile = host.getSourceFile.bind(host);
  host.getSourceFile = (file, ...rest) => {
    const text = texts.get(path.resolve(file));
    return text === undefined
      ? getSourceFile(file, ...rest)
      : ts.createSourceFile(file, text, ...rest);
  };
  const program = ts.createProgram([...new Set([...files, ...texts.keys()])], browser, host);
  return values.check === true ? ts.getPreEmitDiagnostics(program) : program.emit().diagnostics;
}

/** @returns {[string, string][]} the README's blocks, as files beside the client. */
function readExamples() {
  const readme = readFileSync(path.join(root, 'README.md'), 'utf8');
  return [...readme.matchAll(/^```ts client\n(.*?)^```$/gms)].map(([, code = ''], index) => [
    path.join(folder, `readme-example-${index + 1}.ts`),
    code,
  ]);
}

/** @returns {import('typescript').FormatDiagnosticsHost} */
function reportHost() {
  return {
    getCanonicalFileName: (name) => name,
    getCurrentDirectory: () => root,
    getNewLine: () => '\n',
  };
}
