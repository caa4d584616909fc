/**
 * Node's module hooks for tests: TypeScript is compiled as it is loaded, and `@jest/globals` is ours.
 * They run in a thread of their own; `run-file.mjs` registers them.
 */
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { transform } from '@swc/core';

const globals = new URL('./globals.mjs', import.meta.url).href;

/** Imports name the compiled file, as TypeScript has it: `./x.js` is `./x.ts` here. */
export async function resolve(specifier, context, next) {
  if (specifier === '@jest/globals') return { url: globals, shortCircuit: true };
  const isSource = specifier.startsWith('.') && /\.tsx?(\?|$)/.test(context.parentURL ?? '');
  if (!isSource || !specifier.endsWith('.js')) return next(specifier, context);
  try {
    return await next(specifier.replace(/\.js$/, '.ts'), context);
  } catch (error) {
    if (error.code !== 'ERR_MODULE_NOT_FOUND') throw error;
    return next(specifier, context);
  }
}

export async function load(url, context, next) {
  if (!/\.tsx?(\?|$)/.test(url)) return next(url, context);
  const filename = fileURLToPath(url);
  const { code } = await transform(await readFile(filename, 'utf8'), {
    filename,
    swcrc: false,
    sourceMaps: 'inline',
    jsc: {
      target: 'es2022',
      experimental: { keepImportAttributes: true },
      parser: { syntax: 'typescript', decorators: true, tsx: filename.endsWith('x') },
      transform: {
        legacyDecorator: true,
        decoratorMetadata: true,
        react: { runtime: 'automatic' },
      },
    },
    module: { type: 'es6' },
  });
  return { format: 'module', source: code, shortCircuit: true };
}
