import { describe, expect, it } from '@jest/globals';
import { chooseDisplay, maxNativePages, type DisplayFacts, shownEvents } from './choose-display.js';
import { mimeOfPath } from './check-file.js';

const facts: DisplayFacts = {
  preferredForm: 'native',
  seesImages: true,
  readsPdfs: true,
  pages: 3,
  bytesLeft: 1_000,
};

const choose = (name: string, other: Partial<DisplayFacts> = {}, size = 1_000) =>
  chooseDisplay(
    { name, mimeType: mimeOfPath(name) ?? 'application/zip', size, sha256: '' },
    { ...facts, ...other },
  );

describe('chooseShowing', () => {
  it.each([
    ['a.png', { as: 'image' }],
    ['a.pdf', { as: 'pdf' }],
    ['a.txt', { as: 'document' }],
    ['a.csv', { as: 'document' }],
    ['a.html', { as: 'text', source: 'html' }],
    ['a.docx', { as: 'text', source: 'docx' }],
    ['a.xlsx', { as: 'text', source: 'xlsx' }],
    ['a.pptx', { as: 'text', source: 'pptx' }],
    ['a.zip', { as: 'nothing' }],
  ])('shows %s as %j', (name, expected) => {
    expect(choose(name)).toMatchObject(expected);
  });

  it.each<[string, string, Partial<DisplayFacts>, string]>([
    ['a.png', 'image-text', { preferredForm: 'text' }, 'the agent asks for text'],
    ['a.png', 'image-text', { seesImages: false }, 'the model sees no images'],
    ['a.png', 'image-text', { bytesLeft: 999 }, 'the conversation has too many files'],
    ['a.pdf', 'text', { preferredForm: 'text' }, 'the agent asks for text'],
    ['a.pdf', 'text', { readsPdfs: false }, 'the model reads no PDF files'],
    ['a.pdf', 'text', { pages: 101 }, 'it has 101 pages, and the model takes 100'],
    [
      'a.pdf',
      'text',
      { bytesLeft: 999 },
      'it is too large to be sent beside the other files of the conversation',
    ],
    ['a.pdf', 'text', { pagesLeft: 2 }, 'the conversation has too many images and pages'],
  ])('shows %s as %s where %j', (name, as, other, why) => {
    expect(choose(name, other)).toMatchObject({ as, why });
  });

  it('takes a PDF of as many pages as the model does, and one that was not counted', () => {
    expect(choose('a.pdf', { pages: maxNativePages })).toEqual({ as: 'pdf', pages: 100 });
    expect(choose('a.pdf', { pages: undefined })).toEqual({ as: 'pdf', pages: 1 });
  });
});

describe('shownEvents', () => {
  it('says nothing of what is shown as it is', () => {
    expect(
      shownEvents([
        { name: 'a.png', as: 'image' },
        { name: 'a.pdf', as: 'pdf' },
        { name: 'a.md', as: 'document' },
      ]),
    ).toEqual([]);
  });

  it('says which way text was read, and why', () => {
    const why = 'the model reads no office documents';
    expect(
      shownEvents([{ name: 'a.docx', as: 'text', why, via: 'text', isCut: true, pages: 2 }]),
    ).toEqual([
      {
        type: 'notice.posted',
        kind: 'attachment-shown',
        level: 'message',
        text: 'a.docx is shown to the model as text: the model reads no office documents; its end is cut off',
        metadata: { name: 'a.docx', as: 'text', why, via: 'text', isCut: true, pages: 2 },
        seenByModel: false,
      },
    ]);
    const [scan] = shownEvents([{ name: 's.png', as: 'text', why: 'x', via: 'ocr' }]);
    expect(scan).toMatchObject({ text: 's.png is shown to the model as text read by OCR: x' });
  });

  it('says which pages were read how, and which were not', () => {
    const pagesRead = { text: '1–4', ocr: '5, 7', doubtful: '7', unread: '8–9', why: 'no time' };
    const [mixed] = shownEvents([{ name: 'a.pdf', as: 'text', why: 'x', via: 'text', pagesRead }]);
    expect(mixed).toMatchObject({
      text: 'a.pdf is shown to the model as text: x; pages 1–4 by the text layer; pages 5, 7 by OCR; page 7 hardly legible; pages 8–9 not read: no time',
      metadata: { pagesRead },
    });
    const scanned = { name: 's.pdf', as: 'text', why: 'x', via: 'ocr' } as const;
    const [all] = shownEvents([{ ...scanned, pagesRead: { ocr: '1' } }]);
    expect(all).toMatchObject({ text: 's.pdf is shown to the model as text read by OCR: x' });
  });

  it('says what was done to an image, and what could not be shown', () => {
    expect(
      shownEvents([
        { name: 'p.jpg', as: 'image', changed: 'turned upright' },
        { name: 'b.pdf', as: 'nothing', why: 'it is broken' },
      ]),
    ).toEqual([
      expect.objectContaining({ kind: 'attachment-shown', text: 'p.jpg: turned upright' }),
      { type: 'attachment.rejected', name: 'b.pdf', reason: 'it is broken' },
    ]);
  });
});
