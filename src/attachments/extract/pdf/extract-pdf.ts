import { createRequire } from 'node:module';
import path from 'node:path';
import {
  getDocument,
  type PDFDocumentProxy,
  type PDFPageProxy,
} from 'pdfjs-dist/legacy/build/pdf.mjs';
import { OcrMissingError, type FindOcr } from '../ocr-packages.js';
import {
  FileFault,
  type ExtractionBudget,
  type ExtractedText,
  type PagesRead,
} from '../extraction-types.js';
import { openOcr, type Ocr, type Scan } from '../images.js';
import { assertNever } from '../../../platform/assert-never.js';
import { compact } from '../../../platform/compact.js';
import { needsOcr, type PageFacts, countLetters, inspectPage } from './inspect-page.js';

/** Pages of one file that are looked at. */
const MAX_PAGES = 1_000;
/** Pages of one file that OCR reads: each takes seconds. */
const MAX_OCR_PAGES = 20;
/** Pixels of a rendered page's longer side: letters of ten points are thirty pixels high. */
const RENDERED_SIDE = 2_400;

const xfaDoubt =
  'it has a form of the XFA kind, and values that stand in that form alone are not read: print it to a PDF first';

const pdfjs = path.dirname(createRequire(import.meta.url).resolve('pdfjs-dist/package.json'));

export async function countPages(content: Buffer): Promise<{ pages: number; isLocked: boolean }> {
  const document = await openPdf(content);
  // Only an encrypted document has permissions; it may open without a password.
  const permissions = await document.getPermissions();
  return { pages: document.numPages, isLocked: permissions !== null };
}

/**
 * Extracts the text of a PDF, page by page: from the text layer, or by OCR where a page is a picture. A
 * note stands in place of a picture that was not read.
 *
 * @throws OcrMissingError when the document has nothing but pictures and OCR is not installed.
 */
export async function extractPdf(
  content: Buffer,
  budget: ExtractionBudget,
  findOcr: FindOcr,
): Promise<ExtractedText> {
  const document = await openPdf(content);
  const inspected = await inspectPages(document, budget.maxChars);
  const pictures = inspected.flatMap((page, index) => (needsOcr(page) ? [index + 1] : []));
  const scans = await scanPictures(document, pictures, {
    ocrMs: budget.ocrMs,
    findOcr,
    hasText: inspected.some(({ letters }) => letters > 0),
  });
  const pages = inspected.map((page, index) =>
    toPage(page, pictures.includes(index + 1), scans.read.get(index + 1)),
  );
  const joined = joinPages(pages, { count: document.numPages, unreadWhy: scans.unreadWhy });
  return {
    ...joined,
    pages: document.numPages,
    ...((await hasXfa(document)) ? { doubt: xfaDoubt } : {}),
    ...(scans.lacksOcr ? { isPassing: true } : {}),
  };
}

async function inspectPages(document: PDFDocumentProxy, maxChars: number): Promise<PageFacts[]> {
  const pages: PageFacts[] = [];
  let length = 0;
  for (let number = 1; number <= Math.min(document.numPages, MAX_PAGES); number += 1) {
    const page = await document.getPage(number);
    const facts = await inspectPage(page);
    page.cleanup();
    pages.push(facts);
    length += facts.text.length + facts.notes.join('\n').length;
    if (length > maxChars) break;
  }
  return pages;
}

interface Scans {
  /** Scans by page number. */
  read: ReadonlyMap<number, Scan>;
  /** Reason for the pages that were not read. */
  unreadWhy: string;
  lacksOcr: boolean;
}

/** @param rules `hasText`: whether the document also has text, which is better than none. */
async function scanPictures(
  document: PDFDocumentProxy,
  numbers: readonly number[],
  rules: { ocrMs: number; findOcr: FindOcr; hasText: boolean },
): Promise<Scans> {
  const read = new Map<number, Scan>();
  const unreadWhy = `OCR reads ${MAX_OCR_PAGES} pages of a file`;
  if (numbers.length === 0) return { read, unreadWhy, lacksOcr: false };
  const ocr = await openScanner(rules.findOcr).catch((error: unknown) => {
    if (error instanceof OcrMissingError && rules.hasText) return undefined;
    throw error;
  });
  if (ocr === undefined) {
    return { read, unreadWhy: 'OCR is not installed on this server', lacksOcr: true };
  }
  const until = performance.now() + rules.ocrMs;
  try {
    for (const number of numbers.slice(0, MAX_OCR_PAGES)) {
      read.set(number, await ocr.read(await renderPage(await document.getPage(number))));
      if (performance.now() > until) {
        return { read, unreadWhy: 'OCR took too long', lacksOcr: false };
      }
    }
    return { read, unreadWhy, lacksOcr: false };
  } finally {
    await ocr.close();
  }
}

/** @throws OcrMissingError, before OCR is started for nothing where the canvas is missing. */
async function openScanner(findOcr: FindOcr): Promise<Ocr> {
  findOcr('@napi-rs/canvas');
  return openOcr(findOcr);
}

/** The result for a page: of a scan with a text layer, the text with more letters; then the annotations. */
function toPage(look: PageFacts, isScan: boolean, scan: Scan | undefined): ReadPage {
  const { text, by } = chooseText(look, isScan, scan);
  return { text: [...(text === '' ? [] : [text]), ...look.notes].join('\n'), by };
}

function chooseText(look: PageFacts, isScan: boolean, scan: Scan | undefined): ReadPage {
  if (!isScan) return { text: look.text, by: 'text' };
  if (scan === undefined) return { text: look.text, by: 'nothing' };
  if (countLetters(scan.text) < look.letters) return { text: look.text, by: 'text' };
  return { text: scan.text, by: scan.isHardlyLegible ? 'doubtful-ocr' : 'ocr' };
}

/** Whether the values are in a form of the XFA kind, which is not read. */
async function hasXfa(document: PDFDocumentProxy): Promise<boolean> {
  const { info } = await document.getMetadata();
  return 'IsXFAPresent' in info && info.IsXFAPresent === true;
}

/** @throws FileFault when the PDF is locked or broken. */
async function openPdf(content: Buffer): Promise<PDFDocumentProxy> {
  try {
    return await getDocument({
      data: new Uint8Array(content),
      // Scripts in a document are never run, and nothing that it names is fetched.
      isEvalSupported: false,
      enableXfa: false,
      disableFontFace: true,
      useSystemFonts: false,
      verbosity: 0,
      standardFontDataUrl: `${pdfjs}/standard_fonts/`,
      cMapUrl: `${pdfjs}/cmaps/`,
      cMapPacked: true,
      wasmUrl: `${pdfjs}/wasm/`,
    }).promise;
  } catch (cause) {
    const name = cause instanceof Error ? cause.name : '';
    if (name === 'PasswordException') {
      throw new FileFault('is locked with a password: remove the password', { cause });
    }
    throw new FileFault('is no whole PDF: it cannot be opened', { cause });
  }
}

/** A page as a PNG, for OCR. */
async function renderPage(page: PDFPageProxy): Promise<Buffer> {
  const { createCanvas } = await import('@napi-rs/canvas');
  const { width, height } = page.getViewport({ scale: 1 });
  const viewport = page.getViewport({ scale: RENDERED_SIDE / Math.max(width, height) });
  const canvas = createCanvas(Math.ceil(viewport.width), Math.ceil(viewport.height));
  const canvasContext = canvas.getContext('2d');
  await page.render({ canvasContext, viewport, canvas }).promise;
  page.cleanup();
  return canvas.toBuffer('image/png');
}

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
