import { describe, expect, it } from '@jest/globals';
import { joinPages, pageRanges, type ReadPage } from './extract-pdf.js';

const unreadWhy = 'OCR took too long';
const unread: ReadPage = { text: '', by: 'nothing' };

describe('joinPages', () => {
  it('marks what was not read in its place, many pages in one line', () => {
    const pages: ReadPage[] = [{ text: 'One', by: 'text' }, unread, unread, unread];
    const found = joinPages([...pages, { text: 'Five', by: 'doubtful-ocr' }], {
      count: 5,
      unreadWhy,
    });
    expect(found.text).toBe(
      [
        '--- page 1 of 5 ---\nOne',
        '--- pages 2–4 of 5 (has a picture that was not read: OCR took too long) ---\n',
        '--- page 5 of 5 (read by OCR, hardly legible: it may be wrong) ---\nFive',
      ].join('\n\n'),
    );
    expect(found.pagesRead).toEqual({
      text: '1',
      ocr: '5',
      doubtful: '5',
      unread: '2–4',
      why: unreadWhy,
    });
  });

  it('keeps the text layer of a page whose picture was not read', () => {
    const stamped: ReadPage = { text: 'Page 1', by: 'nothing' };
    const { text } = joinPages([stamped, unread], { count: 2, unreadWhy });
    expect(text).toMatch(/page 1 of 2 \(has a picture[^)]*\) ---\nPage 1\n\n--- page 2 of 2/);
  });

  it('says that the rest is missing where pages are left out', () => {
    expect(joinPages([{ text: 'One', by: 'text' }], { count: 3, unreadWhy })).toEqual({
      text: '--- page 1 of 3 ---\nOne',
      via: 'text',
      isPartial: true,
    });
  });
});

it('pageRanges writes runs of pages', () => {
  expect(pageRanges([1, 2, 3, 7, 9, 10])).toBe('1–3, 7, 9–10');
});
