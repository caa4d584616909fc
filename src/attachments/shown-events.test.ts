import { describe, expect, it } from '@jest/globals';
import { shownEvents } from './shown-events.js';

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
