import { brotliCompressSync, constants, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { describe, expect, it } from '@jest/globals';
import { bodyRules, inflatable, inflateBody } from './body-reader.js';

const MIB = 1024 * 1024;
const { plain: rules, conversation } = bodyRules({
  maxBodyBytes: MIB,
  maxConversationBytes: 16 * MIB,
});

const compress = new Map<string, (bytes: Buffer) => Buffer>([
  ['gzip', gzipSync],
  ['deflate', deflateSync],
  ['br', brotliCompressSync],
  ['zstd', zstdCompressSync],
]);
const text = Buffer.from(JSON.stringify(Array.from({ length: 500 }, (_, n) => `${n * 7_919}`)));

describe('inflateBody', () => {
  it.each(inflatable)('undoes %s', async (encoding) => {
    const sent = compress.get(encoding)?.(text) ?? Buffer.alloc(0);
    expect((await inflateBody(sent, encoding, rules)).equals(text)).toBe(true);
  });

  it.each(inflatable)(
    'takes ten times what was sent, and not a byte more: %s',
    async (encoding) => {
      const bomb = compress.get(encoding)?.(Buffer.alloc(8 * MIB, '[')) ?? Buffer.alloc(0);
      expect(bomb.length).toBeLessThan(16 * 1024);
      await expect(inflateBody(bomb, encoding, conversation)).rejects.toMatchObject({
        status: 413,
        type: 'BODY_TOO_LARGE',
        message: expect.stringContaining('more than 10 times'),
      });
    },
  );

  it('refuses zstd that asks for more memory than a content coding may', async () => {
    const params = { [constants.ZSTD_c_windowLog]: 24, [constants.ZSTD_c_contentSizeFlag]: 0 };
    const sent = zstdCompressSync(Buffer.alloc(16 * MIB, text), { params });
    await expect(inflateBody(sent, 'zstd', conversation)).rejects.toMatchObject({
      status: 413,
      type: 'BODY_TOO_LARGE',
      details: { maxWindowBytes: 8 * MIB },
    });
  });

  it('names the limit of the route where that is less', async () => {
    const narrow = { ...rules, maxBytes: text.length - 1 };
    await expect(inflateBody(gzipSync(text), 'gzip', narrow)).rejects.toMatchObject({
      status: 413,
      message: expect.stringContaining('TURNPIKE_MAX_BODY_BYTES'),
      details: { maxRequestBytes: text.length - 1 },
    });
  });

  it.each(inflatable)('refuses a body that is no whole %s', async (encoding) => {
    const sent = compress.get(encoding)?.(text) ?? Buffer.alloc(0);
    for (const broken of [Buffer.from('{"a":1}'), sent.subarray(0, sent.length - 9)]) {
      await expect(inflateBody(broken, encoding, rules)).rejects.toMatchObject({
        status: 400,
        message: expect.stringContaining(encoding),
      });
    }
  });

  it('takes an empty body', async () => {
    expect(await inflateBody(Buffer.alloc(0), 'gzip', rules)).toHaveLength(0);
  });
});
