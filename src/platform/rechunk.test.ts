import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { rechunk } from './rechunk.js';

async function* each(chunks: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
  yield* chunks;
}

describe('rechunk', () => {
  it('gives the same bytes, in pieces that are full but the last', async () => {
    const chunks = fc.array(fc.uint8Array({ maxLength: 20 }), { maxLength: 10 });
    await fc.assert(
      fc.asyncProperty(chunks, fc.integer({ min: 1, max: 16 }), async (given, pieceBytes) => {
        const pieces: Buffer[] = [];
        for await (const piece of rechunk(each(given), pieceBytes)) pieces.push(piece);
        expect(Buffer.concat(pieces).equals(Buffer.concat(given))).toBe(true);
        expect(pieces.slice(0, -1).every((piece) => piece.length === pieceBytes)).toBe(true);
        expect(pieces.every((piece) => piece.length > 0 && piece.length <= pieceBytes)).toBe(true);
      }),
    );
  });
});
