import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { diffLines, type DiffLine } from './diff-lines.js';

const signs = { same: ' ', added: '+', removed: '-' };
const shown = (lines: readonly DiffLine[]): string[] =>
  lines.map(({ kind, text }) => signs[kind] + text);
const side = (lines: readonly DiffLine[], without: DiffLine['kind']): string =>
  lines
    .filter(({ kind }) => kind !== without)
    .map(({ text }) => text)
    .join('\n');

describe('diffLines', () => {
  it.each<[string, string, string[]]>([
    ['', '', []],
    ['', 'a\nb\n', ['+a', '+b']],
    ['a', '', ['-a']],
    ['a\nb\nc', 'a\nx\nc', [' a', '-b', '+x', ' c']],
    ['a\nb', 'b\nc', ['-a', ' b', '+c']],
    ['a\na', 'a', [' a', '-a']],
  ])('of %j and %j are %j', (before, after, lines) => {
    expect(shown(diffLines(before, after))).toEqual(lines);
  });

  it('has both texts in it', () => {
    const text = fc.array(fc.constantFrom('a', 'b', 'c'), { minLength: 1, maxLength: 12 });
    fc.assert(
      fc.property(text, text, (a, b) => {
        const [before, after] = [a.join('\n'), b.join('\n')];
        const lines = diffLines(before, after);
        expect(side(lines, 'added')).toBe(before);
        expect(side(lines, 'removed')).toBe(after);
      }),
    );
  });

  it('is quick for long texts, which it does not compare', () => {
    const long = Array.from({ length: 5_000 }, (_, i) => `line ${i}`);
    const other = long.map((line) => `${line}!`);
    expect(diffLines(long.join('\n'), other.join('\n'))).toHaveLength(10_000);
  });
});
