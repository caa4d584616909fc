import { expect, it } from '@jest/globals';
import { lineBefore, unknownTo } from './stored-turn.js';

const turn = (id: string, supersededBy: string | null = null) => ({ id, supersededBy });
// b and c were replaced by d, d by f: a, f, g is the active line.
const turns = [
  turn('a'),
  turn('b', 'd'),
  turn('c', 'd'),
  turn('d', 'f'),
  turn('e', 'f'),
  turn('f'),
  turn('g'),
];
const before = (id: string) => lineBefore(turns, id)?.map((one) => one.id);

it('each turn has the line that it followed, superseded or not', () => {
  expect(before('a')).toEqual([]);
  expect(before('c')).toEqual(['a', 'b']);
  expect(before('d')).toEqual(['a']);
  expect(before('e')).toEqual(['a', 'd']);
  expect(before('f')).toEqual(['a']);
  expect(before('g')).toEqual(['a', 'f']);
});

it('a turn of another session has none', () => {
  expect(lineBefore(turns, 'x')).toBeUndefined();
});

it('a superseder that is not here counts as later', () => {
  expect(lineBefore([turn('a', 'gone'), turn('b')], 'b')?.map(({ id }) => id)).toEqual(['a']);
});

it('a line knows of what its own turns superseded, and of nothing else', () => {
  const ids = (line: string[]) =>
    unknownTo(
      turns,
      turns.filter(({ id }) => line.includes(id)),
    ).map(({ id }) => id);
  expect(ids(['a'])).toEqual(['b', 'c', 'd', 'e', 'f', 'g']);
  expect(ids(['a', 'd'])).toEqual(['e', 'f', 'g'].filter((id) => id !== 'x'));
  expect(ids(['a', 'f'])).toEqual(['b', 'c', 'g']);
});
