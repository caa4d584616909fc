import { setFlagsFromString } from 'node:v8';
import { runInThisContext } from 'node:vm';
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

async function build(plugins: Plugin[], code = source): Promise<string> {
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

async function run(code: string): Promise<unknown> {
  const { made } = (await import(`data:text/javascript,${encodeURIComponent(code)}`)) as {
    made: unknown;
  };
  return made;
}

type Compare = (one: object, other: object) => boolean;

/** @returns tells whether V8 gives two objects one hidden class. */
function openComparison(): Compare {
  setFlagsFromString('--allow-natives-syntax');
  try {
    const compare = runInThisContext('(one, other) => %HaveSameMap(one, other)') as Compare;
    // Compiled at its first call, which needs the flag.
    compare({}, {});
    return compare;
  } finally {
    setFlagsFromString('--no-allow-natives-syntax');
  }
}

it('objects of such a literal have the same few hidden classes', async () => {
  const make = 'const make = (given, n) => ({ ...given, b: n });';
  const code = await build([steadySpreads()], `${make} export const made = make;`);
  const made = (await run(code)) as (given: object, n: number) => object;
  const haveOneClass = openComparison();
  /** An object of each class. V8 may change to another class, once, when it compiles the function anew. */
  const classes: object[] = [];
  for (let n = 0; n < 500; n += 1) {
    const one = made({ x: n }, n);
    if (!classes.some((other) => haveOneClass(one, other))) classes.push(one);
  }
  // Without the prefix: one for each object.
  expect(classes.length).toBeLessThan(10);
});

it('a literal that begins with a spread, and goes on, begins with one of nothing, and is the same', async () => {
  const [plain, steady] = [await build([]), await build([steadySpreads()])];
  expect(steady.match(/\.\.\.null/g)).toHaveLength(5);
  expect(steady).not.toContain("'{ ...null");
  expect(steady.replaceAll(/\.\.\.null,/g, '')).toBe(plain);
  expect(await run(steady)).toEqual(await run(plain));
});
