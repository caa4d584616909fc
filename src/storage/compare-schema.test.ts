import { expect, it } from '@jest/globals';
import { compareSchema } from './migrate-database.js';

const known = [
  { tag: '0000_first', when: 10 },
  { tag: '0001_second', when: 20 },
  { tag: '0002_third', when: 30 },
];
const compare = (applied: number[]) => compareSchema(known, { applied, contracts: [] }, '1.0.0');

it('finds nothing on a database that has what the program knows', () => {
  expect(compare([10, 20, 30])).toEqual({ missing: [], unknown: 0, broken: [] });
});

it('names what a database lacks, in order, and all of it on a new one', () => {
  expect(compare([10]).missing).toEqual(['0001_second', '0002_third']);
  expect(compare([]).missing).toEqual(['0000_first', '0001_second', '0002_third']);
});

it('counts what a newer program applied', () => {
  expect(compare([10, 20, 30, 40, 50])).toEqual({ missing: [], unknown: 2, broken: [] });
});

it.each([
  ['0.9.9', '1.0.0', true],
  ['1.0.0', '1.0.0', false],
  ['1.10.0', '1.9.0', false],
  ['1.9.0', '1.10.0', true],
  ['1.9.3', '1.9.10', true],
  ['2.0.0', '1.99.99', false],
  ['1.2.0-rc.1', '1.2.0', false],
  ['1.2.0', '1.2.0-rc.1', false],
])('version %s is too old for a contract from %s: %s', (version, minVersion, isBroken) => {
  const contract = { migration: '0003_drop', minVersion };
  const { broken } = compareSchema(known, { applied: [], contracts: [contract] }, version);
  expect(broken).toEqual(isBroken ? [contract] : []);
});
