import { describe, expect, it } from '@jest/globals';
import sharp from 'sharp';
import { imageKind, parseImageHeader } from './files.js';

describe('the header of an image', () => {
  it.each([
    ['png', 'image/png'],
    ['jpeg', 'image/jpeg'],
    ['gif', 'image/gif'],
    ['webp', 'image/webp'],
  ] as const)('says kind and size: %s', async (format, kind) => {
    const canvas = { width: 321, height: 123, channels: 3 as const, background: '#123456' };
    const bytes = await sharp({ create: canvas }).toFormat(format).toBuffer();
    expect(imageKind(bytes)).toBe(kind);
    expect(parseImageHeader(bytes)).toEqual({ width: 321, height: 123 });
  });

  it.each([
    ['lossless', { lossless: true }],
    ['with an alpha channel', { quality: 50 }],
  ])('of WebP, %s', async (_name, options) => {
    const canvas = { width: 40, height: 30, channels: 4 as const, background: '#12345680' };
    const bytes = await sharp({ create: canvas }).webp(options).toBuffer();
    expect(parseImageHeader(bytes)).toEqual({ width: 40, height: 30 });
  });

  it('has no size for a file that is no image, or is cut off', () => {
    expect(imageKind(Buffer.from('hello'))).toBeUndefined();
    expect(parseImageHeader(Buffer.from([0x89, 0x50, 0x4e, 0x47]))).toBeUndefined();
    expect(parseImageHeader(Buffer.from([0xff, 0xd8, 0xff, 0xe0, 0, 4]))).toBeUndefined();
  });
});
