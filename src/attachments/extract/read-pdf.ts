import type { PDFDocumentProxy } from 'pdfjs-dist/legacy/build/pdf.mjs';
import type { FindOcr } from './ocr-packages.js';
import { openPdf } from './open-pdf.js';
import { renderPage } from './render-page.js';
import { readScans } from './read-scans.js';
import type { ReadBudget, TextFound } from './text-found.js';

const MOST_PAGES = 1_000;
/** Reading a picture takes seconds. */
const MOST_SCANS = 20;
/** Letters that a page has on the average, unless its text is a picture. */
const FEW_LETTERS = 8;

export async function countPages(content: Buffer): Promise<{ pages: number; isLocked: boolean }> {
  const document = await openPdf(content);
  // Only an encrypted document has any; one that opens without a password may be encrypted too.
  const permissions = await document.getPermissions();
  return { pages: document.numPages, isLocked: permissions !== null };
}

/** Its text, page by page; where it has next to none, what OCR finds on the first pages. */
export async function readPdf(
  content: Buffer,
  budget: ReadBudget,
  findOcr: FindOcr,
): Promise<TextFound> {
  const document = await openPdf(content);
  const pages = document.numPages;
  const texts = await readPages(document, budget.maxChars);
  const letters = texts.reduce((sum, text) => sum + text.trim().length, 0);
  if (letters >= FEW_LETTERS * Math.max(1, texts.length)) {
    return { text: joinPages(texts, pages), via: 'text', pages, isPartial: texts.length < pages };
  }
  // Before OCR is started for nothing.
  findOcr('@napi-rs/canvas');
  const found = await readScans(renderPages(document), budget, findOcr);
  return { ...found, pages, isPartial: found.isPartial === true || pages > MOST_SCANS };
}

async function readPages(document: PDFDocumentProxy, maxChars: number): Promise<string[]> {
  const texts: string[] = [];
  let length = 0;
  for (let number = 1; number <= Math.min(document.numPages, MOST_PAGES); number += 1) {
    const page = await document.getPage(number);
    const { items } = await page.getTextContent();
    const text = items
      .map((item) => ('str' in item ? item.str + (item.hasEOL ? '\n' : '') : ''))
      .join('');
    page.cleanup();
    texts.push(text);
    length += text.length;
    if (length > maxChars) break;
  }
  return texts;
}

function joinPages(texts: readonly string[], pages: number): string {
  if (pages === 1) return texts[0] ?? '';
  return texts.map((text, index) => `--- page ${index + 1} of ${pages} ---\n${text}`).join('\n\n');
}

async function* renderPages(document: PDFDocumentProxy): AsyncGenerator<Buffer> {
  for (let number = 1; number <= Math.min(document.numPages, MOST_SCANS); number += 1) {
    yield await renderPage(await document.getPage(number));
  }
}
