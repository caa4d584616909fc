import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { MarkerReader } from './marker-reader.js';
import { OutputWindow } from './output-window.js';

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
