import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import sharp from 'sharp';
import { pagesPdf, type PdfPage } from '../support/files/pages-pdf.js';
import { Extractor } from '../../src/attachments/extract/extractor.js';
import { OcrMissingError } from '../../src/attachments/extract/ocr-packages.js';
import { extractPdf } from '../../src/attachments/extract/pdf/extract-pdf.js';

const scan = fileURLToPath(new URL('../fixtures/files/scan.png', import.meta.url));
/** Degrees by which a scan is turned: OCR of each page takes some seconds. */
const TURNS = process.env['TEST_RELEASE'] === undefined ? [270] : [90, 180, 270];
const letter = ['The minutes of the meeting in May.', 'Nobody was against it.'];

/** A page as a scanner makes it, turned by some degrees. */
async function scanned(degrees = 0): Promise<NonNullable<PdfPage['picture']>> {
  const { data, info } = await sharp(await readFile(scan))
    .rotate(degrees)
    .grayscale()
    .jpeg({ quality: 90 })
    .toBuffer({ resolveWithObject: true });
  return { jpeg: data, width: info.width, height: info.height };
}

let extractor: Extractor;
beforeAll(() => {
  // OCR of several pages, on a machine that is busy.
  extractor = new Extractor({ timeoutMs: 280_000 });
});
afterAll(() => extractor.close());

async function read(pages: readonly PdfPage[]) {
  const outcome = await extractor.extractText(pagesPdf(pages), 'pdf');
  if (outcome.type !== 'text') throw new Error(outcome.reason);
  return outcome;
}

describe('a PDF', () => {
  it('of text and scanned pages is read page by page, and says how', async () => {
    const picture = await scanned();
    const outcome = await read([{ lines: letter }, { picture }, { lines: letter }]);
    expect(outcome.text).toMatch(
      /^--- page 1 of 3 ---\nThe minutes of the meeting in May\.[\s\S]*--- page 2 of 3 \(read by OCR\) ---\n[\s\S]*forty-two ships[\s\S]*--- page 3 of 3 ---\nThe minutes/,
    );
    expect(outcome).toMatchObject({ via: 'text', pages: 3, isCut: false });
    expect(outcome.pagesRead).toEqual({ text: '1, 3', ocr: '2' });
  });

  it('keeps a text layer of few letters a page', async () => {
    const outcome = await read([{ lines: ['I'] }, { lines: ['II'] }, { lines: ['III'] }]);
    expect(outcome).toMatchObject({ via: 'text' });
    expect(outcome.text).toContain('--- page 3 of 3 ---\nIII');
    expect(outcome.pagesRead).toBeUndefined();
  });

  it('whose scans have a stamp of the scanner is read by OCR', async () => {
    const outcome = await read([{ picture: await scanned(), lines: ['Scanned by AnyScan 3000'] }]);
    expect(outcome.text).toContain('forty-two ships');
    expect(outcome).toMatchObject({ via: 'ocr', pagesRead: { ocr: '1' } });
  });

  it('with a small picture beside its text is its text', async () => {
    const picture = { ...(await scanned()), share: 0.3 };
    const outcome = await read([{ picture, lines: letter }]);
    expect(outcome).toMatchObject({ via: 'text', text: letter.join('\n') });
  });

  it.each(TURNS)('whose scans are turned by %i degrees is read upright', async (degrees) => {
    const outcome = await read([{ picture: await scanned(degrees) }]);
    expect(outcome.text).toContain('lighthouse keeper counted forty-two ships');
    expect(outcome.pagesRead).toEqual({ ocr: '1' });
  });

  it('names the pages that nobody could read, where OCR is not installed', async () => {
    const findOcr = () => {
      throw new OcrMissingError({});
    };
    const budget = { maxChars: 400_000, ocrMs: 10_000 };
    const picture = await scanned();
    const mixed = pagesPdf([{ lines: letter }, { picture }, { picture }]);
    const found = await extractPdf(mixed, budget, findOcr);
    expect(found.text).toContain(
      '--- pages 2–3 of 3 (has a picture that was not read: OCR is not installed on this server) ---',
    );
    expect(found).toMatchObject({
      via: 'text',
      isPassing: true,
      pagesRead: { text: '1', unread: '2–3', why: 'OCR is not installed on this server' },
    });
    await expect(extractPdf(pagesPdf([{ picture }]), budget, findOcr)).rejects.toThrow(
      OcrMissingError,
    );
  });
});
