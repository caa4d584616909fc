import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect } from '@jest/globals';
import { rolldown, type Plugin } from 'rolldown';

/** Bundles a module as the server is bundled, by these plugins alone. @returns its code, which has a source map */
export async function bundleCode(plugins: Plugin[], code: string): Promise<string> {
  const given: Plugin = {
    name: 'given',
    resolveId: (id) => id,
    load: () => ({ code, moduleType: 'js' }),
  };
  const bundle = await rolldown({ input: 'given.js', plugins: [given, ...plugins] });
  const { output } = await bundle.generate({
    format: 'esm',
    sourcemap: 'hidden',
    // A compressing minifier would take away what adds nothing.
    minify: false,
  });
  await bundle.close();
  expect(output[0].map?.mappings).not.toBe('');
  return output[0].code;
}

/** @returns what the module exports as `made`. */
export async function runCode(code: string): Promise<unknown> {
  const { made } = (await import(`data:text/javascript,${encodeURIComponent(code)}`)) as {
    made: unknown;
  };
  return made;
}

/**
 * Runs a module in a process of its own: what V8 does with objects depends on all that a process has made before.
 *
 * @param code may call V8's own functions, as in `%InYoungGeneration(one)`.
 * @returns the JSON value that it prints.
 */
export async function runAlone(code: string): Promise<unknown> {
  const args = ['--allow-natives-syntax', '--input-type=module', '-e', code];
  const { stdout } = await promisify(execFile)(process.execPath, args);
  return JSON.parse(stdout);
}
