import { expect, it } from '@jest/globals';
import { rolldown, type Plugin } from 'rolldown';
import { steadySpreads } from '../../scripts/steady-spreads.mjs';

const source = `
const a = { x: 1, get y() { return 2; } };
const text = '{ ...a, b }';
export const made = [
  { ...a, b: 3 }, { ...a }, { b: 3, ...a }, { ...a, ...{ c: { ...a, d: 4 } } },
  { ...a, x: 5, y: text }, (({ ...rest }) => ({ ...rest, z: 6 }))(a),
];
`;

async function build(plugins: Plugin[]): Promise<string> {
  const given: Plugin = {
    name: 'given',
    resolveId: (id) => id,
    load: () => ({ code: source, moduleType: 'js' }),
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

async function run(code: string): Promise<unknown> {
  const { made } = (await import(`data:text/javascript,${encodeURIComponent(code)}`)) as {
    made: unknown;
  };
  return made;
}

it('a literal that begins with a spread, and goes on, begins with one of nothing, and is the same', async () => {
  const [plain, steady] = [await build([]), await build([steadySpreads()])];
  expect(steady.match(/\.\.\.null/g)).toHaveLength(5);
  expect(steady).not.toContain("'{ ...null");
  expect(steady.replaceAll(/\.\.\.null,/g, '')).toBe(plain);
  expect(await run(steady)).toEqual(await run(plain));
});
