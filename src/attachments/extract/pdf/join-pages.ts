import { assertNever } from '../../../platform/assert-never.js';
import { compact } from '../../../platform/compact.js';
import type { PagesRead } from '../outcomes.js';
import type { ExtractedText } from '../extracted-text.js';

/** The text of a page, and how it was found. */
export interface ReadPage {
  text: string;
  /** `nothing`: the page's picture was not read, and `text` is the rest of the page. */
  by: 'text' | 'ocr' | 'doubtful-ocr' | 'nothing';
}

/**
 * Joins pages into the text of a document, each under its number, with a note in place of a picture
 * that was not read. Pure.
 *
 * @param document `count` is the number of all pages; `pages` are the first of them.
 */
export function joinPages(
  pages: readonly ReadPage[],
  { count, unreadWhy }: { count: number; unreadWhy: string },
): ExtractedText {
  const numbersOf = (...kinds: readonly ReadPage['by'][]): number[] =>
    pages.flatMap(({ by }, index) => (kinds.includes(by) ? [index + 1] : []));
  const [byText, byOcr] = [numbersOf('text'), numbersOf('ocr', 'doubtful-ocr')];
  const [doubtful, unread] = [numbersOf('doubtful-ocr'), numbersOf('nothing')];
  const [only] = pages;
  const isPlain = count === 1 && only !== undefined && only.by !== 'nothing';
  const pagesRead: PagesRead = compact({
    text: pageRanges(byText),
    ocr: pageRanges(byOcr),
    doubtful: pageRanges(doubtful),
    unread: pageRanges(unread),
    why: unread.length === 0 ? undefined : unreadWhy,
  });
  return {
    text: isPlain ? only.text : writePages(pages, { count, unreadWhy }),
    via: byText.length === 0 && unread.length === 0 && byOcr.length > 0 ? 'ocr' : 'text',
    isPartial: pages.length < count,
    // A document that is all text layer needs no account of its pages.
    ...(byOcr.length + unread.length === 0 ? {} : { pagesRead }),
  };
}

/** Page numbers as people write them, `1–3, 7`; undefined for no page. Pure. */
export function pageRanges(pages: readonly number[]): string | undefined {
  if (pages.length === 0) return undefined;
  const runs: [number, number][] = [];
  for (const page of pages) {
    const last = runs.at(-1);
    if (last !== undefined && last[1] === page - 1) last[1] = page;
    else runs.push([page, page]);
  }
  return runs.map(([first, last]) => (first === last ? `${first}` : `${first}–${last}`)).join(', ');
}

function writePages(
  pages: readonly ReadPage[],
  { count, unreadWhy }: { count: number; unreadWhy: string },
): string {
  const sections: string[] = [];
  for (let index = 0; index < pages.length;) {
    const page = pages[index];
    if (page === undefined) break;
    // A run of pages that were not read is one line: there may be hundreds.
    let end = index + 1;
    while (isEmptyPicture(page) && isEmptyPicture(pages[end])) end += 1;
    const head = end === index + 1 ? `page ${index + 1}` : `pages ${index + 1}–${end}`;
    sections.push(`--- ${head} of ${count}${noteOn(page, unreadWhy)} ---\n${page.text}`);
    index = end;
  }
  return sections.join('\n\n');
}

function isEmptyPicture(page: ReadPage | undefined): boolean {
  return page?.by === 'nothing' && page.text.trim() === '';
}

function noteOn({ by }: ReadPage, unreadWhy: string): string {
  switch (by) {
    case 'text':
      return '';
    case 'ocr':
      return ' (read by OCR)';
    case 'doubtful-ocr':
      return ' (read by OCR, hardly legible: it may be wrong)';
    case 'nothing':
      return ` (has a picture that was not read: ${unreadWhy})`;
    default:
      return assertNever(by);
  }
}
