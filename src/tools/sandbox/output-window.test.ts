import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { OutputWindow } from './output-window.js';

function shown(limit: number, ...chunks: string[]): string {
  const window = new OutputWindow(limit);
  for (const chunk of chunks) window.add(Buffer.from(chunk));
  return window.text();
}

describe('OutputWindow', () => {
  it.each([
    ['nothing', [], ''],
    ['what fits', ['abc', 'def', 'gh'], 'abcdefgh'],
    ['both ends of more', ['abcdefghi'], 'abcd\n[output cut: 8 of 9 bytes shown]\nfghi'],
    [
      'both ends of pieces',
      'abcdefghijk'.split(''),
      'abcd\n[output cut: 8 of 11 bytes shown]\nhijk',
    ],
  ])('shows %s', (_what, chunks, text) => {
    expect(shown(8, ...chunks)).toBe(text);
  });

  it('shows the same, whatever pieces it came in', () => {
    const pieces = fc.array(fc.string({ unit: 'binary-ascii', maxLength: 30 }), { maxLength: 20 });
    fc.assert(
      fc.property(pieces, fc.integer({ min: 2, max: 60 }), (chunks, limit) => {
        expect(shown(limit, ...chunks)).toBe(shown(limit, chunks.join('')));
      }),
    );
  });
});
