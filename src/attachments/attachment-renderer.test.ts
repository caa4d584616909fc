import { describe, expect, it } from '@jest/globals';
import { openTestAttachments } from '../../test/support/files/test-attachments.js';
import { testPdf } from '../../test/support/files/test-pdf.js';
import type { StoredPart } from '../storage/shapes/stored-step.js';
import { mimeOfPath } from './check-file.js';
import { maxNativeBytes } from './choose-display.js';
import {
  AttachmentRenderer,
  type ShowRules,
  maxTextChars,
  toContentBlock,
} from './attachment-renderer.js';
import { useShared } from '../../test/support/suite.js';

const opened = useShared(openTestAttachments);

async function stored(name: string, content: Uint8Array | string): Promise<StoredPart> {
  async function* whole() {
    yield Buffer.from(content);
  }
  const { sha256, size } = await opened.attachments.store.put(whole());
  return { type: 'file', file: { name, mimeType: mimeOfPath(name) ?? '', size, sha256 } };
}

const rules: ShowRules = { preferredForm: 'native', seesImages: true, readsPdfs: true };
const open = (other: Partial<ShowRules> = {}) =>
  new AttachmentRenderer(opened.attachments, { ...rules, ...other });

/** An image of a white pixel. */
const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==',
  'base64',
);

describe('AttachmentRenderer', () => {
  it('shows what the model reads as it is', async () => {
    const pdf = testPdf({ pages: 2 });
    const { parts, files } = await open().show([
      { type: 'text', text: 'Look' },
      await stored('a.txt', 'héllo'),
      await stored('a.png', png),
      await stored('a.pdf', pdf),
    ]);
    expect(parts).toEqual([
      { type: 'text', text: 'Look' },
      { type: 'document', title: 'a.txt', text: 'héllo' },
      { type: 'image', mediaType: 'image/png', base64: png.toString('base64') },
      { type: 'pdf', title: 'a.pdf', base64: pdf.toString('base64') },
    ]);
    expect(files.map(({ as }) => as)).toEqual(['document', 'image', 'pdf']);
  });

  it('shows no more files of a message than it may, and says so of the others', async () => {
    const names = ['a.txt', 'b.txt', 'c.txt'];
    const message = await Promise.all(names.map((name) => stored(name, name)));
    const renderer = open({ maxFiles: 2 });
    const { parts, files } = await renderer.show(message);
    expect(files.map(({ as }) => as)).toEqual(['document', 'document', 'nothing']);
    expect(parts[2]).toMatchObject({ text: expect.stringContaining('max_context_nodes') });
    // The limit counts in each message: files of earlier messages stay as they were shown.
    expect((await renderer.show(message)).parts).toEqual(parts);
  });

  it('shows the newest images where the model takes no more', async () => {
    const renderer = open({ maxImages: 1 });
    const image = await stored('a.png', png);
    expect((await renderer.show([image])).files.map(({ as }) => as)).toEqual(['image']);
    const { parts, files } = await renderer.show([image, await stored('b.txt', 'text')]);
    expect(files.map(({ as }) => as)).toEqual(['nothing', 'document']);
    expect(parts[0]).toMatchObject({ text: expect.stringContaining('takes 1 images') });
  });

  it('shows the text of a PDF that is too long, and says why', async () => {
    const { parts, files } = await open().show([await stored('long.pdf', testPdf({ pages: 101 }))]);
    expect(parts).toEqual([
      { type: 'document', title: 'long.pdf', text: expect.stringContaining('This is page 101') },
    ]);
    expect(files).toEqual([
      {
        name: 'long.pdf',
        as: 'text',
        why: 'it has 101 pages, and the model takes 100',
        via: 'text',
        isCut: false,
        pages: 101,
      },
    ]);
  });

  it('gives room to the files that are asked for first', async () => {
    const half = Math.floor(maxNativeBytes / 2) + 1;
    const [newer, older] = [
      await stored('newer.pdf', testPdf({ pages: 1, bytes: half })),
      await stored('older.pdf', testPdf({ pages: 2, bytes: half })),
    ];
    const renderer = open();
    const shown = [
      ...(await renderer.show([newer])).files,
      ...(await renderer.show([older])).files,
    ];
    expect(shown).toMatchObject([
      { name: 'newer.pdf', as: 'pdf' },
      {
        name: 'older.pdf',
        as: 'text',
        why: 'it is too large to be sent beside the other files of the conversation',
        limit: expect.stringContaining('Shown as text'),
      },
    ]);
  });

  it('reads text in another encoding, and cuts what is too long', async () => {
    const latin = Buffer.from('Grüße aus Köln, schöne Übung für die Prüfung', 'latin1');
    const long = 'word '.repeat(maxTextChars / 5 + 10);
    const { parts, files } = await open().show([
      await stored('latin.csv', latin),
      await stored('long.md', long),
    ]);
    expect(parts[0]).toMatchObject({
      text: expect.stringMatching(
        /^Grüße aus Köln, schöne Übung für die Prüfung\n\[Of latin\.csv: .*windows-1252 is a guess: .*\]$/,
      ),
    });
    expect(parts[1]).toMatchObject({
      text: expect.stringMatching(/\n\[The rest of long\.md is cut off here\.\]$/),
    });
    expect(files).toMatchObject([
      { as: 'text', why: 'it is not UTF-8', isCut: false },
      { as: 'text', why: 'it is too long', isCut: true },
    ]);
  });

  it('leaves a note where there is nothing to show', async () => {
    const { parts, files } = await open().show([
      await stored('empty.pdf', ''),
      await stored('zeros.pdf', new Uint8Array(100)),
      await stored('zeros.png', new Uint8Array(100)),
      { type: 'file', file: { name: 'gone.txt', mimeType: 'text/plain', size: 1, sha256: 'x' } },
    ]);
    expect(parts).toEqual([
      { type: 'text', text: '[Attachment "empty.pdf" is empty.]' },
      { type: 'text', text: expect.stringMatching(/^\[Attachment "zeros\.pdf" cannot be shown: /) },
      {
        type: 'text',
        text: '[Attachment "zeros.png" cannot be shown: The file is no image that can be read]',
      },
      {
        type: 'text',
        text: '[Attachment "gone.txt" cannot be shown: it is no longer stored]',
      },
    ]);
    expect(files.map(({ as }) => as)).toEqual(Array(4).fill('nothing'));
  });

  it('reads a content once, also for those who ask at the same time', async () => {
    const part = await stored('page.html', '<p>Some <b>page</b></p>');
    const [first, second] = await Promise.all([open().show([part]), open().show([part])]);
    expect(first).toEqual(second);
    expect(first.parts).toEqual([{ type: 'document', title: 'page.html', text: 'Some page' }]);
  });
});

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
