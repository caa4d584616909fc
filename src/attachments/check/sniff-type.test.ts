import { describe, expect, it } from '@jest/globals';
import { mimeOfPath } from './classify.js';
import { isTextLike, refuseMismatch, sniffType } from './sniff-type.js';

const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);
const gif = Buffer.from('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7', 'base64');
const pdf = Buffer.from('%PDF-1.4\n%âãÏÓ\n1 0 obj\n<<>>\nendobj\n', 'latin1');
const zip = Buffer.concat([Buffer.from([0x50, 0x4b, 3, 4]), Buffer.alloc(60)]);

describe('sniffType', () => {
  it('tells what the bytes are, and how such files are called', async () => {
    expect(await sniffType(pdf)).toEqual({ mimeType: 'application/pdf', extension: 'pdf' });
    expect(await sniffType(Buffer.from('Hello'))).toBeUndefined();
  });
});

describe('isTextLike', () => {
  it.each<[string, Buffer]>([
    ['a list of cars', Buffer.from('BMW,1\nAudi,2\n')],
    ['one with a byte order mark', Buffer.from('\ufeffBMW,1\n')],
    ['words of other formats', Buffer.from('GIF support, MZ, ID3 tags, solid state, SQLite, FORM')],
    ['UTF-16, either way round', Buffer.from('\ufeffShip', 'utf16le')],
    ['UTF-16, the other way', Buffer.from('\ufeffShip', 'utf16le').swap16()],
    ['Latin 1', Buffer.from('ÿþ Grüße ÿû', 'latin1')],
    ['nothing', Buffer.alloc(0)],
  ])('takes %s', async (_what, start) => {
    expect(isTextLike(start)).toBe(true);
    expect(await refuseMismatch(start, 'text/csv')).toBeUndefined();
  });

  it.each([[png], [gif], [pdf], [zip], [Buffer.from('a\0b')], [Buffer.from('%PDF-1.4 plain')]])(
    'takes no bytes of another kind: %#',
    (start) => {
      expect(isTextLike(start)).toBe(false);
    },
  );
});

describe('refuseMismatch', () => {
  it.each<[string, Buffer, string]>([
    ['a picture', png, 'image/png'],
    ['another one', gif, 'image/gif'],
    ['a document', pdf, 'application/pdf'],
    ['a text', Buffer.from('Hello'), 'text/plain'],
    ['XML in a text', Buffer.from('<?xml version="1.0"?><a/>'), 'text/plain'],
    ['nothing at all', Buffer.alloc(0), 'image/png'],
    ['an archive in an office document', zip, mimeOfPath('x.docx') ?? ''],
    ['bytes nobody knows', Buffer.from([1, 2, 3, 4, 5]), 'application/pdf'],
  ])('lets %s pass', async (_what, bytes, mimeType) => {
    expect(await refuseMismatch(bytes, mimeType)).toBeUndefined();
  });

  it.each<[Buffer, string, string]>([
    [png, 'application/pdf', 'image/png'],
    [png, 'image/jpeg', 'image/png'],
    [pdf, 'image/png', 'application/pdf'],
    [pdf, 'text/markdown', 'application/pdf'],
    [zip, 'text/csv', 'application/zip'],
  ])('refuses what is something else than %#', async (bytes, mimeType, found) => {
    expect(await refuseMismatch(bytes, mimeType)).toBe(
      `Attachment content is ${found}, but its name says ${mimeType}: give the file its right extension`,
    );
  });

  it.each<[string, Buffer]>([
    ['UTF-16 without a mark', Buffer.from('Harbour report, 42 ships', 'utf16le')],
    ['the same, cut in a character', Buffer.from('Harbour', 'utf16le').subarray(0, 13)],
    ['big-endian UTF-16', Buffer.from('Harbour report', 'utf16le').swap16()],
    ['Latin 1', Buffer.from('Grüße aus Köln', 'latin1')],
    ['a log with a bell', Buffer.from(`${'line\n'.repeat(30)}\u0007`)],
    ['nothing', Buffer.alloc(0)],
  ])('takes %s for text', async (_what, bytes) => {
    expect(await refuseMismatch(bytes, 'text/plain')).toBeUndefined();
  });

  it.each<[string, Buffer]>([
    ['zeros', Buffer.alloc(100)],
    ['bytes of a program’s own', Buffer.from([1, 2, 3, 0, 9, 200, 4, 0, 17, 3, 99])],
    ['many control characters', Buffer.from('a\u0001b\u0002c\u0003')],
  ])('refuses %s in a text', async (_what, bytes) => {
    expect(await refuseMismatch(bytes, 'text/csv')).toContain('Attachment content is binary');
  });
});
