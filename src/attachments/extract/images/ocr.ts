import path from 'node:path';
import sharp from 'sharp';
import { FileFault } from '../file-fault.js';
import { MOST_PIXELS } from './fit-image.js';
import type { ExtractedText } from '../extracted-text.js';
import type { FindOcr } from './ocr-packages.js';

const language = 'eng';
/** Pixels of the longer side of a picture: more does not make letters clearer. */
const SIDE = 3_000;
/** Pixels of the longer side while only the orientation is looked for. */
const TRIAL_SIDE = 1_200;
/** Percent of confidence under which a picture may lie on its side, or upside down. */
const DOUBTFUL = 70;
/** Percent of confidence under which the text is probably wrong. */
const HARDLY_LEGIBLE = 50;

const orientations = [0, 90, 180, 270] as const;

export interface Scan {
  text: string;
  /** Degrees by which the picture was turned, clockwise. */
  turned: (typeof orientations)[number];
  /** Whether the text is likely to be wrong. */
  isHardlyLegible: boolean;
}

export interface Ocr {
  /** @throws FileFault when the bytes are no picture. */
  read(picture: Buffer): Promise<Scan>;
  close(): Promise<void>;
}

type Recognize = (picture: Buffer) => Promise<{ text: string; confidence: number }>;

/** Starts an OCR engine. @throws OcrMissingError when it is not installed. */
export async function openOcr(findOcr: FindOcr): Promise<Ocr> {
  findOcr('tesseract.js');
  // The language's data comes from a package: nothing is fetched while the server runs.
  const langPath = path.join(findOcr(`@tesseract.js-data/${language}`), '4.0.0_best_int');
  const { createWorker, OEM } = await import('tesseract.js');
  const worker = await createWorker(language, OEM.LSTM_ONLY, {
    langPath,
    gzip: true,
    cacheMethod: 'none',
  });
  const recognize: Recognize = async (picture) => {
    const { data } = await worker.recognize(picture);
    return { text: data.text.trim(), confidence: data.confidence };
  };
  // The pages of a document usually have one orientation.
  let usual: Scan['turned'] = 0;
  return {
    read: async (picture) => {
      const scan = await recognizeUpright(picture, usual, recognize);
      if (scan.text !== '') usual = scan.turned;
      return scan;
    },
    close: async () => void (await worker.terminate()),
  };
}

/**
 * Tries the four orientations where the first is doubtful: the engine's own detection needs data
 * that no package has.
 */
async function recognizeUpright(
  picture: Buffer,
  usual: Scan['turned'],
  recognize: Recognize,
): Promise<Scan> {
  const first = await recognize(await turn(picture, usual, SIDE));
  // A picture without any text gives none in any orientation.
  if (first.text === '' || first.confidence >= DOUBTFUL) return toScan(first, usual);
  let best = { turned: usual, confidence: first.confidence };
  for (const turned of orientations.filter((other) => other !== usual)) {
    const { confidence } = await recognize(await turn(picture, turned, TRIAL_SIDE));
    if (confidence > best.confidence) best = { turned, confidence };
  }
  if (best.turned === usual) return toScan(first, usual);
  const again = await recognize(await turn(picture, best.turned, SIDE));
  return again.confidence > first.confidence ? toScan(again, best.turned) : toScan(first, usual);
}

function toScan(
  { text, confidence }: { text: string; confidence: number },
  turned: Scan['turned'],
): Scan {
  return { text, turned, isHardlyLegible: text !== '' && confidence < HARDLY_LEGIBLE };
}

async function turn(picture: Buffer, degrees: number, side: number): Promise<Buffer> {
  if (degrees === 0 && side === SIDE) return picture;
  return sharp(picture, { limitInputPixels: MOST_PIXELS })
    .rotate(degrees)
    .resize({ width: side, height: side, fit: 'inside', withoutEnlargement: true })
    .png()
    .toBuffer();
}

/** Prepares a picture for OCR: upright, grey, and not larger than helps. @throws FileFault */
async function toPicture(content: Buffer): Promise<Buffer> {
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

/** Extracts the text of an image by OCR. @throws OcrMissingError; FileFault when it is no image. */
export async function extractPicture(content: Buffer, findOcr: FindOcr): Promise<ExtractedText> {
  const picture = await toPicture(content);
  const ocr = await openOcr(findOcr);
  try {
    const { text, isHardlyLegible } = await ocr.read(picture);
    const doubt = 'it is hardly legible, and what OCR read may be wrong';
    return { text, via: 'ocr', ...(isHardlyLegible ? { doubt } : {}) };
  } finally {
    await ocr.close();
  }
}
