import { expect, it } from '@jest/globals';
import { steadySpreads } from '../../scripts/steady-spreads.mjs';
import { bundleCode, runAlone, runCode } from '../support/bundle/bundle-code.js';

const source = `
const a = { x: 1, get y() { return 2; } };
const text = '{ ...a, b }';
export const made = [
  { ...a, b: 3 }, { ...a }, { b: 3, ...a }, { ...a, ...{ c: { ...a, d: 4 } } },
  { ...a, x: 5, y: text }, (({ ...rest }) => ({ ...rest, z: 6 }))(a),
];
`;

const make = 'const make = (given, n) => ({ ...given, b: n }); export const made = make;';

/** Objects of each class. V8 may change to another class, once, when it compiles the function anew. */
const countClasses = `
const classes = [];
for (let n = 0; n < 500; n += 1) {
  const one = make({ x: n }, n);
  if (!classes.some((other) => %HaveSameMap(one, other))) classes.push(one);
}
console.log(classes.length);`;

it('objects of such a literal have the same few hidden classes', async () => {
  const code = await bundleCode([steadySpreads()], make);
  // Without the prefix: one for each object.
  expect(await runAlone(`${code}${countClasses}`)).toBeLessThan(10);
});

it('a literal that begins with a spread, and goes on, begins with one of nothing, and is the same', async () => {
  const plain = await bundleCode([], source);
  const steady = await bundleCode([steadySpreads()], source);
  expect(steady.match(/\.\.\.null/g)).toHaveLength(5);
  expect(steady).not.toContain("'{ ...null");
  expect(steady.replaceAll(/\.\.\.null,/g, '')).toBe(plain);
  expect(await runCode(steady)).toEqual(await runCode(plain));
});
