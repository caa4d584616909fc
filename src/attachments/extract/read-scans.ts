import path from 'node:path';
import sharp from 'sharp';
import { FileFault } from './file-fault.js';
import { MOST_PIXELS } from './fit-image.js';
import type { FindOcr } from './ocr-packages.js';
import type { ReadBudget, TextFound } from './text-found.js';

const language = 'eng';
/** Pixels of the longer side: more does not make letters clearer. */
const SIDE = 3_000;

/**
 * Reads the text in pictures by OCR, one after the other.
 *
 * @throws NoOcr
 */
export async function readScans(
  pictures: AsyncIterable<Buffer> | Iterable<Buffer>,
  { ocrMs }: Pick<ReadBudget, 'ocrMs'>,
  findOcr: FindOcr,
): Promise<TextFound> {
  findOcr('tesseract.js');
  // The language's data is a package: nothing is fetched while the server runs.
  const langPath = path.join(findOcr(`@tesseract.js-data/${language}`), '4.0.0_best_int');
  const { createWorker, OEM } = await import('tesseract.js');
  const until = performance.now() + ocrMs;
  const worker = await createWorker(language, OEM.LSTM_ONLY, {
    langPath,
    gzip: true,
    cacheMethod: 'none',
  });
  try {
    const texts: string[] = [];
    for await (const picture of pictures) {
      const { data } = await worker.recognize(picture);
      texts.push(data.text.trim());
      if (performance.now() > until) break;
    }
    const isPartial = performance.now() > until;
    return { text: texts.join('\n\n'), via: 'ocr', isPartial };
  } finally {
    await worker.terminate();
  }
}

/** A picture as OCR reads it best: upright, grey, and not larger than helps. */
export async function toScan(content: Buffer): Promise<Buffer> {
  try {
    return await sharp(content, { limitInputPixels: MOST_PIXELS })
      .rotate()
      .flatten({ background: 'white' })
      .grayscale()
      .resize({ width: SIDE, height: SIDE, fit: 'inside', withoutEnlargement: true })
      .png()
      .toBuffer();
  } catch (cause) {
    throw new FileFault('is no image that can be read', { cause });
  }
}
