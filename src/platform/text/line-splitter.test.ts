import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { LineSplitter } from './line-splitter.js';

const tooLong = (most: number): Error => new Error(`more than ${most} bytes`);

describe('LineSplitter', () => {
  it('gives the lines of a text, however it is cut', () => {
    fc.assert(
      fc.property(
        fc.array(fc.string({ unit: 'grapheme' })),
        fc.integer({ min: 1, max: 7 }),
        (texts, size) => {
          const lines = texts.map((text) => text.replace(/[\r\n]/g, ''));
          const bytes = Buffer.from(lines.map((line) => `${line}\r\n`).join(''));
          const splitter = new LineSplitter(1_000_000, tooLong);
          const given: string[] = [];
          for (let at = 0; at < bytes.length; at += size) {
            given.push(...splitter.push(bytes.subarray(at, at + size)));
          }
          expect(given).toEqual(lines);
          expect(splitter.end()).toBe('');
        },
      ),
    );
  });

  it('holds no more of a line than it may have', () => {
    const splitter = new LineSplitter(10, tooLong);
    expect(splitter.push(Buffer.from('0123456789\n01234'))).toEqual(['0123456789']);
    expect(() => splitter.push(Buffer.from('567890'))).toThrow('more than 10 bytes');
  });
});
