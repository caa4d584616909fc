import { describe, expect, it } from '@jest/globals';
import { toContentBlock } from './to-content-block.js';

const block = (name: string, mimeType: string, bytes: Buffer) =>
  toContentBlock({ name, path: `/p/${name}`, mimeType, size: bytes.length, sha256: '' }, bytes);
const bytes = Buffer.from([0xff, 0x00, 0x10]);
const base64 = '/wAQ';

describe('toContentBlock', () => {
  it.each(['image/png', 'image/jpeg', 'image/gif', 'image/webp'])('%s is an image', (mediaType) => {
    expect(block('x.png', mediaType, bytes)).toEqual({ type: 'image', mediaType, base64 });
  });

  it('shows a PDF as a titled document', () => {
    const expected = { type: 'pdf', title: 'x.pdf', base64 };
    expect(block('x.pdf', 'application/pdf', bytes)).toEqual(expected);
  });

  it.each([
    ['plain', Buffer.from(' héllo\n'), ' héllo\n'],
    ['with a byte order mark', Buffer.from('\uFEFFa'), 'a'],
    ['not UTF-8', Buffer.from([0x61, 0xff]), 'a\uFFFD'],
  ])('shows text %s', (_name, data, text) => {
    const expected = { type: 'document', title: 'x.csv', text };
    expect(block('x.csv', 'text/csv', data)).toEqual(expected);
  });

  it('goes by the declared type over an image extension', () => {
    expect(block('x.png', 'application/pdf', bytes)).toMatchObject({ type: 'pdf' });
    expect(block('x.png', 'Text/Plain; charset=utf-8', Buffer.from('a'))).toMatchObject({
      type: 'document',
    });
  });

  it('goes by the extension where the declared type says too little', () => {
    expect(block('x.jpg', 'image/heic', bytes)).toMatchObject({ mediaType: 'image/jpeg' });
    expect(block('x.pdf', 'application/octet-stream', bytes)).toMatchObject({ type: 'pdf' });
  });

  it('says where a file is that cannot be shown', () => {
    expect(block('x.zip', 'application/zip', bytes)).toEqual({
      type: 'text',
      text: '[Attachment "x.zip" (application/zip) is available locally at /p/x.zip, but its type cannot be shown here.]',
    });
  });

  it.each([
    ['x.png', 'image/png', ''],
    ['x.pdf', 'application/pdf', ''],
    ['x.txt', 'text/plain', ''],
    ['x.txt', 'text/plain', ' \n\t'],
  ])('says that %s (%s, %j) is empty', (name, mimeType, data) => {
    const expected = { type: 'text', text: `[Attachment "${name}" is empty.]` };
    expect(block(name, mimeType, Buffer.from(data))).toEqual(expected);
  });
});
