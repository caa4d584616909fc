import path from 'node:path';
import { fileURLToPath } from 'node:url';
import openapiTypes, { astToString, type OpenAPI3 } from 'openapi-typescript';
import ts from 'typescript';

const options: ts.CompilerOptions = {
  target: ts.ScriptTarget.ES2023,
  lib: ['lib.es2023.d.ts', 'lib.es2024.string.d.ts', 'lib.dom.d.ts', 'lib.dom.iterable.d.ts'],
  module: ts.ModuleKind.NodeNext,
  moduleResolution: ts.ModuleResolutionKind.NodeNext,
  types: ['node'],
  strict: true,
  skipLibCheck: true,
  experimentalDecorators: true,
  emitDecoratorMetadata: true,
  resolveJsonModule: true,
  noEmit: true,
};

/** Where the compiled sources would be, which are in memory alone. */
const folder = fileURLToPath(new URL('.', import.meta.url));
const apiFile = path.join(folder, 'api.ts');
const comparisonFile = path.join(folder, 'comparison.ts');

/**
 * What the pairs are written in. Two types are the same if either takes a value of the other, and still does
 * once every field is required: a field that one of them lacks may not hide behind being optional.
 */
const head = `
import type * as client from '../../../src/client/turnpike-client.js';
import type { components, operations } from './api.js';
type schemas = components['schemas'];
type Json<T> = T extends { content: { 'application/json': infer Body } } ? Body : never;
type Answer<Id extends keyof operations> =
  operations[Id] extends { responses: { 200: infer Success } } ? Json<Success> : never;
type Body<Id extends keyof operations> =
  operations[Id] extends { requestBody?: infer Request } ? Json<NonNullable<Request>> : never;
type Returned<Method extends (...given: never[]) => unknown> = Awaited<ReturnType<Method>>;
type Plain<T> = unknown extends T ? unknown
  : T extends readonly (infer Item)[] ? Plain<Item>[]
  : T extends object ? { -readonly [K in keyof T]: Plain<T[K]> } : T;
type Full<T> = unknown extends T ? unknown
  : T extends readonly (infer Item)[] ? Full<Item>[]
  : T extends object ? { -readonly [K in keyof T]-?: Full<T[K]> } : T;
type Takes<A, B> = [A] extends [B] ? ([B] extends [A] ? true : false) : false;
type Same<A, B> = Takes<A, B> extends true ? Takes<Full<A>, Full<B>> : false;
`;

/**
 * Compares the types that `openapi-typescript` makes of a document with those of the typed client.
 *
 * @param pairs of the document → of the client. The first are in terms of `schemas`, `Answer` and `Body` of an
 *   operation; the second of `client`, its exports.
 * @returns a line for each pair that differs, and for each fault of the generated types.
 */
export async function differingTypes(
  document: object,
  pairs: Readonly<Record<string, string>>,
): Promise<string[]> {
  const api = astToString(await openapiTypes(document as OpenAPI3));
  const rows = Object.entries(pairs);
  const checks = rows.map(
    ([ours, theirs], row) =>
      `export const check${row}: Same<Plain<${ours}>, Plain<${theirs}>> = true;`,
  );
  const comparison = `${head.trim()}\n${checks.join('\n')}\n`;
  const program = createProgram({ [apiFile]: api, [comparisonFile]: comparison });
  const firstRow = comparison.split('\n').length - 1 - rows.length;
  return [apiFile, comparisonFile].flatMap((file) => {
    const source = program.getSourceFile(file);
    return ts.getPreEmitDiagnostics(program, source).map(({ start = 0, messageText }) => {
      const line = source?.getLineAndCharacterOfPosition(start).line ?? 0;
      const pair = file === comparisonFile ? rows[line - firstRow]?.join(' is not ') : undefined;
      const message = ts.flattenDiagnosticMessageText(messageText, ' ');
      return pair === undefined || !message.includes("'false'") ? `${pair}: ${message}` : pair;
    });
  });
}

/** A program with some files in memory. */
function createProgram(texts: Readonly<Record<string, string>>): ts.Program {
  const host = ts.createCompilerHost(options);
  const { getSourceFile, fileExists } = { ...host };
  host.fileExists = (file) => file in texts || fileExists(file);
  host.getSourceFile = (file, target, ...rest) => {
    const text = texts[file];
    return text === undefined
      ? getSourceFile(file, target, ...rest)
      : ts.createSourceFile(file, text, target);
  };
  return ts.createProgram(Object.keys(texts), options, host);
}
