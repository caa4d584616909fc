import { describe, expect, it } from '@jest/globals';
import {
  checkFile,
  isTextLike,
  sniffType,
  effectiveMime,
  extensionOf,
  mediaKind,
  mimeOfPath,
} from './check-file.js';

const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);
const gif = Buffer.from('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7', 'base64');
const pdf = Buffer.from('%PDF-1.4\n%âãÏÓ\n1 0 obj\n<<>>\nendobj\n', 'latin1');
const zip = Buffer.concat([Buffer.from([0x50, 0x4b, 3, 4]), Buffer.alloc(60)]);

describe('sniffType', () => {
  it('tells what the bytes are', async () => {
    expect(await sniffType(pdf)).toBe('application/pdf');
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
  ])('takes %s', (_what, start) => {
    expect(isTextLike(start)).toBe(true);
  });

  it.each([[png], [gif], [pdf], [zip], [Buffer.from('a\0b')], [Buffer.from('%PDF-1.4 plain')]])(
    'takes no bytes of another kind: %#',
    (start) => {
      expect(isTextLike(start)).toBe(false);
    },
  );
});

const check = (name: string, start: Buffer) =>
  checkFile({ name, start, size: start.length, sha256: '' });

const heic = Buffer.concat([Buffer.from('\0\0\0\x18ftypheic\0\0\0\0mif1heic'), Buffer.alloc(64)]);
const office = 'application/vnd.openxmlformats-officedocument';

describe('checkFile', () => {
  it.each<[string, Buffer, string]>([
    ['shot.png', png, 'image/png'],
    ['shot.jpg', png, 'image/png'],
    ['shot.pdf', png, 'image/png'],
    ['notes.md', pdf, 'application/pdf'],
    ['shot.jfif', gif, 'image/gif'],
    ['report', pdf, 'application/pdf'],
    ['data.json', Buffer.from('{"a":1}'), 'text/plain'],
    ['.env', Buffer.from('A=1'), 'text/plain'],
    ['ships.svg', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>'), 'text/plain'],
    ['letter.rtf', Buffer.from('{\\rtf1 hi}'), 'text/plain'],
    ['page.pdf', Buffer.from('<html>502 Bad Gateway</html>'), 'text/plain'],
    ['list.csv', Buffer.from('a,b'), 'text/csv'],
    ['wide.txt', Buffer.from('Harbour report, 42 ships', 'utf16le'), 'text/plain'],
    ['wide.csv', Buffer.from('Harbour', 'utf16le').subarray(0, 13), 'text/csv'],
    ['latin.log', Buffer.from('Grüße aus Köln', 'latin1'), 'text/plain'],
    ['bell.log', Buffer.from(`${'line\n'.repeat(30)}\u0007`), 'text/plain'],
    ['book.xlsx', zip, `${office}.spreadsheetml.sheet`],
    ['damaged.pdf', Buffer.from([1, 2, 3, 4, 5]), 'application/pdf'],
    ['nothing.png', Buffer.alloc(0), 'image/png'],
    ['nothing', Buffer.alloc(0), 'text/plain'],
  ])('takes %s by its bytes', async (name, bytes, mimeType) => {
    expect(await check(name, bytes)).toEqual({
      file: { name, mimeType, size: bytes.length, sha256: '' },
    });
  });

  it.each<[string, Buffer, string]>([
    ['file', png, 'file.png'],
    ['file', Buffer.from('Hello'), 'file.txt'],
    ['file', pdf, 'file.pdf'],
  ])('gives a file without a name one by its bytes', async (name, bytes, expected) => {
    expect(await check(name, bytes)).toMatchObject({ file: { name: expected } });
  });

  it.each<[string, Buffer, RegExp]>([
    ['IMG.jpg', heic, /type image\/heic: no model takes it: send it as JPEG or PNG$/],
    ['IMG.HEIC', heic, /type image\/heic: no model takes it: send it as JPEG or PNG$/],
    [
      'a.csv',
      zip,
      /type application\/zip: archives are not opened; unpack it and attach its files$/,
    ],
    ['a.doc', Buffer.from('d0cf11e0a1b11ae1', 'hex'), /x-cfb: save it as \.docx/],
    [
      'a.txt',
      Buffer.alloc(100),
      /^Unsupported attachment: its content is binary, which '.txt' is not/,
    ],
    [
      'a.exe',
      Buffer.from([1, 2, 3, 0, 9, 200, 4, 0, 17, 3, 99]),
      /extension '\.exe': its content is binary\. Allowed: \.png, .*, and any text$/,
    ],
    ['a', Buffer.from('a\u0001b\u0002c\u0003'), /extension '\(none\)': its content is binary/],
  ])('refuses %s, and says what to send', async (name, bytes, reason) => {
    expect(await check(name, bytes)).toEqual({ reason: expect.stringMatching(reason) });
  });
});

describe('mimeOfPath', () => {
  it.each([
    ['/a/x.png', 'image/png', 'image'],
    ['/a/x.jpg', 'image/jpeg', 'image'],
    ['/a/x.JPEG', 'image/jpeg', 'image'],
    ['/a/x.gif', 'image/gif', 'image'],
    ['/a/x.webp', 'image/webp', 'image'],
    ['/a/x.pdf', 'application/pdf', 'pdf'],
    ['/a/x.txt', 'text/plain', 'text'],
    ['/a/x.Md', 'text/markdown', 'text'],
    ['/a/x.tar.csv', 'text/csv', 'text'],
    ['/a/x.html', 'text/html', 'text'],
    [
      '/a/x.docx',
      'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
      'office',
    ],
  ])('%s is %s', (path, mime, kind) => {
    expect(mimeOfPath(path)).toBe(mime);
    expect(mediaKind(mime)).toBe(kind);
  });

  it.each(['/a/x', '/a/x.exe', '/a/.png', '/a.png/x', '/a/x.constructor'])(
    '%s has none',
    (path) => {
      expect(mimeOfPath(path)).toBeUndefined();
    },
  );

  it.each([
    ['/a/x.PNG', '.png'],
    ['/a/x', ''],
    ['/a/.png', ''],
    ['/a.b/x', ''],
  ])('the extension of %s is %j', (path, extension) => {
    expect(extensionOf(path)).toBe(extension);
  });
});

describe('mediaKind', () => {
  it.each([
    ['text/html', 'text'],
    ['image/svg+xml', 'other'],
    ['application/zip', 'other'],
    ['', 'other'],
  ])('%s is %s', (mime, kind) => expect(mediaKind(mime)).toBe(kind));
});

describe('effectiveMime', () => {
  it.each([
    [' Image/PNG ', '/x.png', 'image/png'],
    ['text/csv; charset=utf-8', '/x.txt', 'text/csv'],
    ['application/pdf', '/x.png', 'application/pdf'],
    ['application/zip', '/x.png', 'application/zip'],
    ['image/tiff', '/x.png', 'image/png'],
    ['image/tiff', '/x.pdf', 'application/pdf'],
    ['image/tiff', '/x.tiff', 'image/tiff'],
    ['application/octet-stream', '/x.md', 'text/markdown'],
    ['application/octet-stream', '/x', 'application/octet-stream'],
    ['not a type', '/x.gif', 'image/gif'],
    ['png', '/x.webp', 'image/webp'],
    ['image/', '/x.png', 'image/png'],
    ['', '/x', 'application/octet-stream'],
    ['image/gif', '/x.png', 'image/gif'],
  ])('%j at %s is %s', (declared, path, mime) => {
    expect(effectiveMime(declared, path)).toBe(mime);
  });
});
