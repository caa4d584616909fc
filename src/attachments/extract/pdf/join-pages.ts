import { assertNever } from '../../../platform/assert-never.js';
import { compact } from '../../../platform/compact.js';
import type { PagesRead } from '../outcomes.js';
import type { ExtractedText } from '../extracted-text.js';

/** A page of a document, as it was read. */
export interface ReadPage {
  text: string;
  /** `nothing` read its picture; its text is what else it has. */
  by: 'text' | 'ocr' | 'doubtful-ocr' | 'nothing';
}

/**
 * The text of a document under the numbers of its pages, with what was not read marked in its place.
 * Pure.
 *
 * @param document `count` of all its pages, of which those given are the first.
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
    // Where all of it is its text layer, there is nothing to say.
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
    // Hundreds of pages that nobody read are one line.
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
