/**
 * The declarations of `turnpike/extend`: `dist/extend`, the server's own types that an extension meets.
 * They are then compiled as whoever writes an extension has them, without any package and without
 * Node's types, and so are the examples and the blocks of docs/extending.md. `--out DIR` writes to
 * another folder.
 */
import { mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import ts from 'typescript';

const root = path.join(path.dirname(fileURLToPath(import.meta.url)), '..');
const { values } = parseArgs({ options: { out: { type: 'string' } } });
const out = path.resolve(values.out ?? path.join(root, 'dist/extend'));
const { options } = ts.parseJsonConfigFileContent(
  ts.readConfigFile(path.join(root, 'tsconfig.json'), ts.sys.readFile).config,
  ts.sys,
  root,
);

rmSync(out, { recursive: true, force: true });
mkdirSync(out, { recursive: true });
report([...emit(), ...compileUses()]);

function emit() {
  const program = ts.createProgram([path.join(root, 'src/extend/extend.ts')], {
    ...options,
    noEmit: false,
    declaration: true,
    emitDeclarationOnly: true,
    rootDir: path.join(root, 'src'),
    outDir: out,
  });
  return program.emit().diagnostics;
}

/** What uses the declarations, and the declarations with it. */
function compileUses() {
  const documented = readExamples();
  /** @type {import('typescript').CompilerOptions} */
  const alone = {
    ...options,
    lib: ['lib.es2023.d.ts', 'lib.dom.d.ts'],
    types: [],
    paths: { 'turnpike/extend': [path.join(out, 'extend/extend.d.ts')] },
    allowJs: true,
    checkJs: true,
    skipLibCheck: false,
    noEmit: true,
  };
  const host = ts.createCompilerHost(alone);
  const getSourceFile = host.getSourceFile.bind(host);
  host.getSourceFile = (file, ...rest) => {
    const text = documented.get(path.resolve(file));
    return text === undefined
      ? getSourceFile(file, ...rest)
      : ts.createSourceFile(file, text, ...rest);
  };
  const uses = [...listExamples(), ...documented.keys()];
  return ts.getPreEmitDiagnostics(ts.createProgram(uses, alone, host));
}

function listExamples() {
  const folder = path.join(root, 'examples/extensions');
  return readdirSync(folder).map((name) => path.join(folder, name));
}

/** @returns {Map<string, string>} the documentation's blocks, as files beside the examples. */
function readExamples() {
  const page = readFileSync(path.join(root, 'docs/extending.md'), 'utf8');
  const blocks = [...page.matchAll(/^```ts extension\n(.*?)^```$/gms)];
  return new Map(
    blocks.map(([, code = ''], index) => [
      path.join(root, 'examples/extensions', `documented-${index + 1}.ts`),
      code,
    ]),
  );
}

/** @param {readonly import('typescript').Diagnostic[]} faults */
function report(faults) {
  if (faults.length === 0) return;
  const host = {
    getCanonicalFileName: (name) => name,
    getCurrentDirectory: () => root,
    getNewLine: () => '\n',
  };
  process.stderr.write(ts.formatDiagnosticsWithColorAndContext(faults, host));
  process.exitCode = 1;
}
