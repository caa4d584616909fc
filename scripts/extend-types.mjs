/**
 * Writes the declarations for authors of extensions and for host applications, `dist/extend`. Those for extensions are
 * then compiled as an author of extensions has them, without packages and Node's types, together with the
 * examples and the blocks of docs/how-to/extensions.md. `--out DIR` writes to a different folder.
 */
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import ts from 'typescript';
import {
  createProgram,
  options,
  readBlocks,
  packageName,
  report,
  root,
} from './declare/compiler.mjs';

const { values } = parseArgs({ options: { out: { type: 'string' } } });
const out = path.resolve(values.out ?? path.join(root, 'dist/extend'));
const examples = path.join(root, 'examples/extensions');

rmSync(out, { recursive: true, force: true });
mkdirSync(out, { recursive: true });
report([...emit(), ...compileUses()]);
['create-turnpike', 'embed-types', 'nest/turnpike-module', 'nest/method-calls'].forEach(
  declareEmbedded,
);
const forNode = ['agents/order_desk', 'nest/main', 'tools/order_status', 'tools/ticket_state'];
report(compileHosts(forNode));
const forNext = ['next/app/agents/[...path]/route'];
const byBundler = {
  module: ts.ModuleKind.ESNext,
  moduleResolution: ts.ModuleResolutionKind.Bundler,
};
report(compileHosts(forNext, byBundler));

function emit() {
  const files = ['tools/extensions/extend', 'agents/define-agent'];
  const program = ts.createProgram(
    files.map((file) => path.join(root, `src/${file}.ts`)),
    {
      ...options,
      noEmit: false,
      declaration: true,
      emitDeclarationOnly: true,
      rootDir: path.join(root, 'src'),
      outDir: out,
    },
  );
  return program.emit().diagnostics;
}

/** The examples that are compiled with the declarations. */
function compileUses() {
  const documented = readBlocks('docs/how-to/extensions.md', 'extension', (number) =>
    path.join(examples, `documented-${number}.ts`),
  );
  const alone = {
    ...options,
    lib: ['lib.es2023.d.ts', 'lib.dom.d.ts'],
    types: [],
    paths: { [`${packageName}/extend`]: [path.join(out, 'tools/extensions/extend.d.ts')] },
    allowJs: true,
    checkJs: true,
    skipLibCheck: false,
    noEmit: true,
  };
  const uses = readdirSync(examples).map((name) => path.join(examples, name));
  return ts.getPreEmitDiagnostics(createProgram(uses, alone, documented));
}

/** Writes the declaration of a file of `src/embed` alone: the client that it names is the published one. */
function declareEmbedded(name) {
  const file = path.join(root, `src/embed/${name}.ts`);
  const { outputText, diagnostics } = ts.transpileDeclaration(readFileSync(file, 'utf8'), {
    fileName: file,
    compilerOptions: { ...options, isolatedDeclarations: true, declaration: true },
    reportDiagnostics: true,
  });
  report(diagnostics ?? []);
  mkdirSync(path.dirname(path.join(out, 'embed', name)), { recursive: true });
  const text = outputText.replaceAll(
    /(?:\.\.\/)+client\/turnpike-client\.js/g,
    `${packageName}/client`,
  );
  writeFileSync(path.join(out, `embed/${name}.d.ts`), text);
}

/** The examples in TypeScript, as their compiler sees them: with Node's types and Nest's. */
function compileHosts(files, resolution = {}) {
  const ours = {
    [packageName]: [path.join(out, 'agents/define-agent.d.ts')],
    [`${packageName}/client`]: [path.join(root, 'src/client/turnpike-client.ts')],
    [`${packageName}/nest`]: [path.join(out, 'embed/nest/turnpike-module.d.ts')],
    [`${packageName}/server`]: [path.join(out, 'embed/create-turnpike.d.ts')],
  };
  const paths = { ...options.paths, ...ours };
  const host = { ...options, ...resolution, paths, types: ['node'], noEmit: true };
  const programs = files.map((file) => path.join(root, `examples/${file}.ts`));
  return ts.getPreEmitDiagnostics(ts.createProgram(programs, host));
}
