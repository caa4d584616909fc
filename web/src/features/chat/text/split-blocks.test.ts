import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { continuesLine, isPlain, noBlocks, splitBlocks } from './split-blocks.js';

const blocksOf = (text: string): string[] => {
  const { settled, tail } = splitBlocks(text);
  return [...settled, tail];
};

describe('splitBlocks', () => {
  it.each<[string, string[]]>([
    ['', ['']],
    ['a', ['a']],
    ['a\n\nb', ['a\n\n', 'b']],
    ['a\nb\n\n\nc', ['a\nb\n\n\n', 'c']],
    ['# a\n\n```ts\nx\n\ny\n```\nb', ['# a\n\n', '```ts\nx\n\ny\n```\n', 'b']],
    ['a\n```\nx\n\ny', ['a\n', '```\nx\n\ny']],
    ['````\n```\n\n````\nb', ['````\n```\n\n````\n', 'b']],
    ['- a\n\n- b\n\n  c\n\nd', ['- a\n\n- b\n\n  c\n\n', 'd']],
    ['1. a\n\n2. b', ['1. a\n\n2. b']],
    ['1. a\n\n2', ['1. a\n\n2']],
    ['- a\n\n  ```\n  x\n\n  y\n  ```\n\nb', ['- a\n\n  ```\n  x\n\n  y\n  ```\n\n', 'b']],
    ['a\n\n    code\n\nb', ['a\n\n    code\n\n', 'b']],
  ])('of %j are %j', (text, blocks) => {
    expect(blocksOf(text)).toEqual(blocks);
  });

  it('cuts a long paragraph of plain words, and none with a mark in it', () => {
    const plain = 'word '.repeat(1_000);
    const blocks = blocksOf(plain);
    expect(blocks.length).toBeGreaterThan(3);
    expect(blocks.join('')).toBe(plain);
    expect(continuesLine(blocks[0])).toBe(true);
    expect(continuesLine('a\n\n')).toBe(false);
    expect(blocksOf(`**${plain}`)).toHaveLength(1);
  });

  it('loses nothing, and settles what it settled, however the text grows', () => {
    const piece = fc.constantFrom('a', ' ', '\n', '\n\n', '```', '- ', '1. ', '  x', '~~~', '# ');
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 60 }), (pieces) => {
        let text = '';
        let blocks = noBlocks;
        for (const one of pieces) {
          text += one;
          const next = splitBlocks(text, blocks);
          expect(next.settled.slice(0, blocks.settled.length)).toEqual(blocks.settled);
          expect(next.settled.join('') + next.tail).toBe(text);
          blocks = next;
        }
      }),
    );
  });

  it.each<[string, boolean]>([
    ['Only words, and "quotes" (with brackets).', true],
    ['2 things', true],
    ['2. thing', false],
    ['- thing', false],
    ['a **b**', false],
    ['a &amp; b', false],
    ['see www.example.com', false],
    ['see http://a.b', false],
    ['me@example.com', false],
    ['a\nb', false],
    ['===', false],
  ])('takes %j for plain: %j', (text, plain) => {
    expect(isPlain(text)).toBe(plain);
  });

  it('starts over with another text', () => {
    const first = splitBlocks('a\n\nb');
    expect(splitBlocks('c', first)).toEqual({
      text: 'c',
      settled: [],
      settledLength: 0,
      tail: 'c',
    });
  });
});
