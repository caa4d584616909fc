import { execFile } from 'node:child_process';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const modules = path.join(root, 'node_modules');
/** In the project, so that imports find packages. */
const folder = path.join(modules, '.cache/turnpike/compared-types');

/**
 * What the pairs are written in. Two types are the same if either takes a value of the other, and still does
 * once every field is required: a field that one of them lacks may not hide behind being optional.
 */
const head = `
import type * as client from '${path.relative(folder, path.join(root, 'src/client'))}/turnpike-client.js';
import type { components, operations } from './api.js';
type schemas = components['schemas'];
type Json<T> = T extends { content: { 'application/json': infer Body } } ? Body : never;
type Answer<Id extends keyof operations> =
  operations[Id] extends { responses: { 200: infer Success } } ? Json<Success> : never;
type Body<Id extends keyof operations> =
  operations[Id] extends { requestBody?: infer Request } ? Json<NonNullable<Request>> : never;
type Returned<Method extends (...given: never[]) => unknown> = Awaited<ReturnType<Method>>;
type AnyJson<T> = [keyof T] extends [never] ? true : T extends { [key: string]: infer Value }
  ? string extends keyof T ? (null extends Value ? true : false) : false : false;
type Plain<T> = unknown extends T ? unknown
  : T extends readonly (infer Item)[] ? Plain<Item>[]
  : T extends object ? (AnyJson<T> extends true ? Record<string, unknown> : { -readonly [K in keyof T]: Plain<T[K]> }) : T;
type Full<T> = unknown extends T ? unknown
  : T extends readonly (infer Item)[] ? Full<Item>[]
  : T extends object ? (AnyJson<T> extends true ? Record<string, unknown> : { -readonly [K in keyof T]-?: Full<T[K]> }) : T;
type Takes<A, B> = [A] extends [B] ? ([B] extends [A] ? true : false) : false;
type Same<A, B> = Takes<A, B> extends true ? Takes<Full<A>, Full<B>> : false;
`.trim();

/** As of a client that generates its types. */
const options = {
  extends: path.join(root, 'tsconfig.json'),
  compilerOptions: { exactOptionalPropertyTypes: false, noUnusedLocals: false },
  include: [],
  files: ['comparison.ts'],
};

/**
 * Compares the types that `openapi-typescript` makes of a document with those of the typed client.
 *
 * @param pairs of the document → of the client. The first are in terms of `schemas`, `Answer` and `Body` of an
 *   operation; the second of `client`, its exports.
 * @returns the first of each pair that differs, and other faults as the compiler reports them.
 */
export async function differingTypes(
  document: object,
  pairs: Readonly<Record<string, string>>,
): Promise<string[]> {
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  const names = Object.keys(pairs);
  const rows = Object.entries(pairs).map(
    ([ours, theirs], row) =>
      `export const row${row}: Same<Plain<${ours}>, Plain<${theirs}>> = true;`,
  );
  const files = {
    'api.json': JSON.stringify(document),
    'comparison.ts': [head, ...rows, ''].join('\n'),
    'tsconfig.json': JSON.stringify(options),
  };
  for (const [name, text] of Object.entries(files)) await writeFile(path.join(folder, name), text);
  const made = await run('openapi-typescript/bin/cli.js', ['api.json', '-o', 'api.ts']);
  if (made.code !== 0) throw new Error(made.output);
  const { output } = await run('typescript-native/bin/tsc', ['-p', '.', '--pretty', 'false']);
  const firstRow = head.split('\n').length + 1;
  const faults = output.split('\n').filter((line) => line.includes('error TS'));
  return faults.map((fault) => {
    const line = /^comparison\.ts\((\d+),\d+\): .*'false'/.exec(fault)?.[1];
    return names[Number(line) - firstRow] ?? fault;
  });
}

/** Runs a package's program in the folder. */
function run(program: string, given: string[]): Promise<{ code: number; output: string }> {
  return new Promise((resolve) => {
    const file = path.join(modules, program);
    const child = execFile(process.execPath, [file, ...given], { cwd: folder }, (_, out, errors) =>
      resolve({ code: child.exitCode ?? 1, output: out + errors }),
    );
  });
}
