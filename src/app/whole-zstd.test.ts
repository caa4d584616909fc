import { constants, zstdCompressSync } from 'node:zlib';
import { describe, expect, it } from '@jest/globals';
import { isWholeZstd } from './whole-zstd.js';

const text = Buffer.from(JSON.stringify(Array.from({ length: 40_000 }, (_, at) => at * 7)));
const repeated = Buffer.alloc(300_000, 'a');
const withChecksum = { params: { [constants.ZSTD_c_checksumFlag]: 1 } };
const skipped = Buffer.from([0x53, 0x2a, 0x4d, 0x18, 3, 0, 0, 0, 1, 2, 3]);

describe('isWholeZstd', () => {
  it.each<[string, Buffer]>([
    ['a short text', zstdCompressSync('a')],
    ['several blocks', zstdCompressSync(text)],
    ['a repeated byte', zstdCompressSync(repeated)],
    ['a checksum', zstdCompressSync(text, withChecksum)],
    ['a frame that decoders skip, and another', Buffer.concat([skipped, zstdCompressSync('a')])],
  ])('knows the end of %s', (_what, whole) => {
    expect(isWholeZstd(whole)).toBe(true);
    const cut = [1, 2, 5, 9].map((length) => whole.subarray(0, whole.length - length));
    expect(cut.map((data) => isWholeZstd(data))).toEqual(cut.map(() => false));
  });

  it('is not what begins otherwise', () => {
    expect(isWholeZstd(Buffer.from('{"a":1}'))).toBe(false);
  });
});
