import { expect, it } from '@jest/globals';
import { youngFunctions } from '../../scripts/young-functions.mjs';
import { bundleCode, runAlone, runCode } from '../support/bundle/bundle-code.js';

const make = `export const made = (given) => {
  const one = {};
  one.read = () => given;
  return one;
};`;

const isYoung = (code: string): Promise<unknown> =>
  runAlone(`${code}\nconsole.log(%InYoungGeneration(made({}).read));`);

it('a function that is assigned to a property is allocated among the young objects', async () => {
  expect(await isYoung(await bundleCode([], make))).toBe(false);
  expect(await isYoung(await bundleCode([youngFunctions()], make))).toBe(true);
});

const source = `
const shape = { kind: 'shape', own: 1 };
let free;
shape.area = function () { return this.own; };
shape['late'] ??= async () => { shape.inner = () => 'inner'; return shape.inner(); };
shape.kind = shape.area.name || 'without a name';
free = () => 'free';
shape.twice = shape.half = (n) => n;
export const made = [shape.area(), await shape.late(), shape.kind, free(), shape.twice(2)];
`;

it('a function of a property is the same behind the zero, and no other one gets it', async () => {
  const plain = await bundleCode([], source);
  const young = await bundleCode([youngFunctions()], source);
  expect(young.match(/\(0, /g)).toHaveLength(4);
  expect(await runCode(young)).toEqual(await runCode(plain));
  expect(await runCode(plain)).toEqual([1, 'inner', 'without a name', 'free', 2]);
});
