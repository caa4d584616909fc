import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { MarkerReader, OutputWindow } from './shell-outputs.js';

const marker = 'abab1';

function read(chunks: readonly string[]): { output: string; exitCode: number | undefined } {
  const window = new OutputWindow(10_000);
  const reader = new MarkerReader(marker, window);
  let exitCode: number | undefined;
  for (const chunk of chunks) exitCode ??= reader.read(Buffer.from(chunk));
  if (exitCode === undefined) reader.end();
  return { output: window.text(), exitCode };
}

describe('MarkerReader', () => {
  it('finds the marker in pieces of any size', () => {
    const output = fc.string({ unit: fc.constantFrom('a', 'b', '1', '\n'), maxLength: 40 });
    const free = output.filter((text) => !`${text}${marker}`.slice(0, -1).includes(marker));
    fc.assert(
      fc.property(free, fc.nat(255), fc.array(fc.nat(60)), (text, code, cuts) => {
        const all = `${text}${marker}${code}\n`;
        const edges = [0, ...cuts.map((cut) => Math.min(cut, all.length)), all.length].sort(
          (a, b) => a - b,
        );
        const chunks = edges.slice(1).map((edge, index) => all.slice(edges[index], edge));
        expect(read(chunks)).toEqual({ output: text, exitCode: code });
      }),
    );
  });

  it.each([['so far'], ['so far', 'aba'], ['so far', 'abab1', '12']])(
    'takes %j for output when no more comes',
    (...chunks) => {
      expect(read(chunks)).toEqual({ output: chunks.join(''), exitCode: undefined });
    },
  );
});

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
