/**
 * Writes the typed client's declarations, `dist/client/*.d.ts`. The server's types in them are written out
 * member by member, so that they do not need the server's packages. The declarations and the examples of the
 * documentation are compiled as in a browser, without Node's types. `--check` reports faults, with each major of the
 * AI SDK, and writes nothing; `--out DIR` writes to a different folder.
 */
import { readdirSync } from 'node:fs';
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
import { writeOutTypes } from './declare/write-out-types.mjs';

const folder = path.join(root, 'src/client');
const served = path.join(folder, 'server-types.ts');
const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
  .map((name) => path.join(folder, name));

const { values } = parseArgs({ options: { check: { type: 'boolean' }, out: { type: 'string' } } });
const isCheck = values.check === true;
const exampleFile = (/** @type {string} */ page) => (/** @type {number} */ number) =>
  path.join(folder, `${page}-example-${number}.ts`);
const texts = new Map([
  [served, writeOutTypes(served, options)],
  ...(isCheck ? readBlocks('docs/guide/client.md', 'client', exampleFile('guide')) : []),
  ...(isCheck ? readBlocks('docs/wires/ai-sdk-details.md', 'client', exampleFile('ai-sdk')) : []),
]);
const browser = (/** @type {string} */ ai) => ({
  ...options,
  lib: ['lib.es2022.d.ts', 'lib.dom.d.ts'],
  types: [],
  jsx: ts.JsxEmit.ReactJSX,
  paths: {
    [`${packageName}/client`]: [path.join(folder, 'turnpike-client.ts')],
    [`${packageName}/client/ai-sdk`]: [path.join(folder, 'chat-transport.ts')],
    [`${packageName}/client/react`]: [path.join(folder, 'react/use-turnpike-chat.ts')],
    ai: [path.join(root, 'node_modules', ai, 'dist/index.d.ts')],
  },
  noEmit: isCheck,
  declaration: true,
  emitDeclarationOnly: true,
  rootDir: folder,
  outDir: path.resolve(values.out ?? path.join(root, 'dist/client')),
});
if (!isCheck) report(createProgram(files, browser('ai'), texts).emit().diagnostics);
for (const ai of isCheck ? ['ai-6', 'ai-7-oldest', 'ai'] : []) {
  report(ts.getPreEmitDiagnostics(createProgram(files, browser(ai), texts)));
}
