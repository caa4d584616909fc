import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { closeMarks } from './close-marks.js';

describe('closeMarks', () => {
  it.each([
    ['plain', 'plain'],
    ['**bold** and', '**bold** and'],
    ['some **bol', 'some **bol**'],
    ['some **bold ', 'some **bold**'],
    ['some **', 'some '],
    ['some *', 'some '],
    ['**bold**', '**bold**'],
    ['~~str', '~~str~~'],
    ['a `cod', 'a `cod`'],
    ['a `', 'a '],
    ['a `x` b', 'a `x` b'],
    ['a `x **y', 'a `x **y`'],
    ['see [the lin', 'see the lin'],
    ['see [the link](http://exa', 'see the link'],
    ['see [the link](http://a.b)', 'see [the link](http://a.b)'],
    ['- [', '- ['],
    ['- [x', '- [x'],
    ['* item', '* item'],
    ['*', '*'],
    ['done **a**\nnow **b', 'done **a**\nnow **b**'],
  ])('shows %j as %j', (text, shown) => {
    expect(closeMarks(text)).toBe(shown);
  });

  it('changes the last line only, and takes any text', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (first, last) => {
        const text = `${first}\n${last}`;
        const start = text.lastIndexOf('\n') + 1;
        expect(closeMarks(text).slice(0, start)).toBe(text.slice(0, start));
      }),
    );
  });
});
