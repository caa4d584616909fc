import { describe, expect, it } from '@jest/globals';
import { printList, type Table } from './table.js';

interface Fruit {
  name: string;
  note: string;
}

const show = (all: readonly Fruit[]): Table => ({
  columns: ['FRUIT', 'NOTE', 'SEASON'],
  rows: all.map(({ name, note }) => [name, note, '']),
});
const fruits = [
  { name: 'apple', note: '' },
  { name: 'fig', note: 'ripe' },
];

function print(all: readonly Fruit[], json?: boolean): { out: string; err: string } {
  const said = { out: '', err: '' };
  const cli = {
    out: (text: string) => void (said.out += text),
    err: (text: string) => void (said.err += text),
  };
  printList(cli, { all, json }, { show, tell: () => ['Two.'], none: 'No fruit.' });
  return said;
}

describe('a list of the command line', () => {
  it('has a head where no terminal reads it, without the columns that say nothing', () => {
    expect(print(fruits)).toEqual({ out: 'FRUIT  NOTE\napple\nfig    ripe\n', err: 'Two.\n' });
  });

  it('is a line of JSON for each entry', () => {
    const [apple, fig] = fruits.map((fruit) => `${JSON.stringify(fruit)}\n`);
    expect(print(fruits, true)).toEqual({ out: `${apple}${fig}`, err: '' });
    expect(print([], true)).toEqual({ out: '', err: '' });
  });

  it('says on standard error that it is empty', () => {
    expect(print([])).toEqual({ out: '', err: 'No fruit.\n' });
  });
});
