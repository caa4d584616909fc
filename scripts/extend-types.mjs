/**
 * Writes the declarations for authors of extensions and for host applications, `dist/extend`. `--out DIR` writes to a
 * different folder. With `--check`, those for extensions are then compiled as an author of extensions has them, without
 * packages and Node's types, together with the examples and the blocks of docs/how-to/extensions.md; and the examples of
 * host applications, by TypeScript 7, which takes a third of the time.
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
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

const { values } = parseArgs({ options: { out: { type: 'string' }, check: { type: 'boolean' } } });
const out = path.resolve(values.out ?? path.join(root, 'dist/extend'));
const examples = path.join(root, 'examples/extensions');

rmSync(out, { recursive: true, force: true });
mkdirSync(out, { recursive: true });
report(emit());
[
  'embed/create-turnpike',
  'embed/embed-types',
  'embed/nest/turnpike-module',
  'embed/nest/method-calls',
  'agent-sdk/connect',
  'agent-sdk/query-options',
  'agent-sdk/sdk-errors',
  'agent-sdk/sdk-messages',
  'agent-sdk/sdk-query',
  'agent-sdk/sdk-tools',
  'agent-sdk/session-functions',
].forEach(declareAlone);
if (values.check === true) {
  report(compileUses());
  compileHosts('node', [
    'agents/order_desk',
    'nest/main',
    'tools/order_status',
    'tools/ticket_state',
  ]);
  const byBundler = { module: 'esnext', moduleResolution: 'bundler' };
  compileHosts('next', ['next/app/agents/[...path]/route'], byBundler);
}

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

/** Writes the declaration of a file of `src` alone: the client that it names is the published one. */
function declareAlone(name) {
  const file = path.join(root, `src/${name}.ts`);
  const { outputText, diagnostics } = ts.transpileDeclaration(readFileSync(file, 'utf8'), {
    fileName: file,
    compilerOptions: { ...options, isolatedDeclarations: true, declaration: true },
    reportDiagnostics: true,
  });
  report(diagnostics ?? []);
  mkdirSync(path.dirname(path.join(out, name)), { recursive: true });
  const text = outputText.replaceAll(
    /(?:\.\.\/)+client\/turnpike-client\.js/g,
    `${packageName}/client`,
  );
  writeFileSync(path.join(out, `${name}.d.ts`), text);
}

/** The examples in TypeScript, as their compiler sees them: with Node's types and Nest's. */
function compileHosts(name, files, resolution = {}) {
  const paths = {
    [packageName]: [path.join(out, 'agents/define-agent.d.ts')],
    [`${packageName}/client`]: [path.join(root, 'src/client/turnpike-client.ts')],
    [`${packageName}/nest`]: [path.join(out, 'embed/nest/turnpike-module.d.ts')],
    [`${packageName}/server`]: [path.join(out, 'embed/create-turnpike.d.ts')],
  };
  const project = path.join(out, `${name}.json`);
  const config = {
    extends: path.join(root, 'tsconfig.json'),
    compilerOptions: { ...resolution, paths },
    files: files.map((file) => path.join(root, `examples/${file}.ts`)),
    include: [],
  };
  writeFileSync(project, JSON.stringify(config));
  const ofInterop = createRequire(path.join(root, 'test/interop/package.json'));
  const compiler = path.join(ofInterop.resolve('typescript-native/package.json'), '../bin/tsc');
  const { status } = spawnSync(process.execPath, [compiler, '-p', project], {
    stdio: ['ignore', 2, 2],
  });
  if (status !== 0) process.exitCode = 1;
}
