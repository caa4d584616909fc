import { describe, expect, it } from '@jest/globals';
import { effectiveMime, extensionOf, mediaKind, mimeOfPath } from './classify.js';

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
