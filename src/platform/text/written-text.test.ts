import { describe, expect, it } from '@jest/globals';
import { readWritten } from './written-text.js';

const text = '---\ndescription: Grüße, 日本 😀\n---\n';
const utf16be = (given: string): Buffer => Buffer.from(given, 'utf16le').swap16();
const marked = (mark: number[], bytes: Buffer): Buffer => Buffer.concat([Buffer.from(mark), bytes]);

describe('a file that a person wrote', () => {
  it.each<[string, Buffer]>([
    ['UTF-8', Buffer.from(text)],
    ['UTF-8 with a mark', Buffer.from(`\uFEFF${text}`)],
    ['UTF-16LE', marked([0xff, 0xfe], Buffer.from(text, 'utf16le'))],
    ['UTF-16BE', marked([0xfe, 0xff], utf16be(text))],
  ])('is read in %s', (_encoding, bytes) => {
    expect(readWritten(bytes)).toEqual({ text });
  });

  it('is read where it is empty', () => {
    expect(readWritten(Buffer.alloc(0))).toEqual({ text: '' });
    expect(readWritten(Buffer.from([0xff, 0xfe]))).toEqual({ text: '' });
  });

  const withoutMark = 'is not text in UTF-8: it is binary, or UTF-16 without a byte order mark';
  it.each<[string, Buffer, string]>([
    ['UTF-16LE without a mark', Buffer.from(text, 'utf16le'), withoutMark],
    ['UTF-16BE without a mark', utf16be('abc'), withoutMark],
    ['a NUL', Buffer.from('a\0b'), withoutMark],
    ['a picture', Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 0]), withoutMark],
    ['Latin-1', Buffer.from('Grüße', 'latin1'), 'is not text in UTF-8'],
    ['half of UTF-16', marked([0xff, 0xfe], Buffer.from([0x41])), 'is not whole text in UTF-16LE'],
    ['half a pair', marked([0xfe, 0xff], Buffer.from([0xd8, 0])), 'is not whole text in UTF-16BE'],
    [
      'a NUL in UTF-16',
      marked([0xff, 0xfe], Buffer.from([0x41, 0, 0, 0])),
      'is not whole text in UTF-16LE',
    ],
    [
      'UTF-32',
      marked([0xff, 0xfe, 0, 0], Buffer.from([0x41, 0, 0, 0])),
      'is not whole text in UTF-32LE',
    ],
  ])('is refused with %s', (_what, bytes, fault) => {
    expect(readWritten(bytes)).toEqual({ fault });
  });
});
