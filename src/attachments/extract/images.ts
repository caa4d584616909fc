import path from 'node:path';
import sharp, { type Metadata, type Sharp } from 'sharp';
import {
  FileFault,
  type ExtractedText,
  type ImageLimits,
  type ImageOutcome,
} from './extraction-types.js';
import type { FindOcr } from './ocr-packages.js';

const language = 'eng';
/** An optional package. By a variable: its types, and what a bundler would look for, are there only where it is installed. */
const engine: string = 'tesseract.js';

/** The part of `tesseract.js` 7 that OCR uses. */
interface Tesseract {
  OEM: { LSTM_ONLY: number };
  createWorker(
    language: string,
    mode: number,
    options: { langPath: string; gzip: boolean; cacheMethod: 'none' },
  ): Promise<{
    /** Confidence is in percent. */
    recognize(picture: Buffer): Promise<{ data: { text: string; confidence: number } }>;
    terminate(): Promise<unknown>;
  }>;
}

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
  const { createWorker, OEM } = (await import(engine)) as Tesseract;
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
  return sharp(picture, { limitInputPixels: MAX_PIXELS })
    .rotate(degrees)
    .resize({ width: side, height: side, fit: 'inside', withoutEnlargement: true })
    .png()
    .toBuffer();
}

/** Prepares a picture for OCR: upright, grey, and not larger than helps. @throws FileFault */
async function toPicture(content: Buffer): Promise<Buffer> {
  try {
    return await sharp(content, { limitInputPixels: MAX_PIXELS })
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

/** Pixels from which an image is not decoded. */
const MAX_PIXELS = 100_000_000;
/** Factor of the longer side from one try to the next. */
const SHRINK = 0.75;
const MAX_ATTEMPTS = 8;
/** Pixels of the side that an image is decoded to when only its integrity is checked. */
const SAMPLE_SIDE = 64;
/** Formats that the model takes; no other reaches a decoder. */
const formats = ['jpeg', 'png', 'gif', 'webp'];

type Fitted = Exclude<ImageOutcome, { type: 'refused' }>;

/**
 * Turns an image upright and scales it down to the model's limits; of several frames the first is kept, which is the
 * one that a model sees. An image that fits already stays as it is, to the byte.
 *
 * @throws FileFault when it is damaged, or no image that the model takes.
 */
export async function fitImage(content: Buffer, limits: ImageLimits): Promise<Fitted> {
  const { width, height, orientation = 1, pages = 1, ...rest } = await readHead(content);
  const isTurned = orientation >= 5;
  const side = Math.max(width, height);
  const fits = content.length <= limits.maxBytes && side <= limits.maxSide;
  const [upWidth, upHeight] = isTurned ? [height, width] : [width, height];
  if (fits && orientation === 1 && pages === 1) {
    await checkWhole(content);
    return { type: 'fits', width: upWidth, height: upHeight };
  }
  let target = Math.min(side, limits.maxSide);
  for (let tries = 0; tries < MAX_ATTEMPTS; tries += 1) {
    const made = await render(content, rest, target);
    if (made.content.length <= limits.maxBytes) {
      const why = describe(
        { orientation, pages },
        { side, made: Math.max(made.width, made.height) },
      );
      return { type: 'changed', ...made, why };
    }
    target = Math.floor(target * SHRINK);
  }
  throw new FileFault(`cannot be made smaller than ${limits.maxBytes} bytes`);
}

async function readHead(content: Buffer): Promise<Metadata> {
  let head: Metadata;
  try {
    head = await sharp(content, { limitInputPixels: false }).metadata();
  } catch (cause) {
    throw new FileFault('is no image that can be read', { cause });
  }
  if (!formats.includes(head.format))
    throw new FileFault(`is ${head.format}, no image for a model`);
  const pixels = head.width * head.height;
  if (pixels <= MAX_PIXELS) return head;
  throw new FileFault(`has ${pixels} pixels; at most ${MAX_PIXELS} are read`);
}

/** A truncated image would make the provider refuse the request, and end the turn. */
async function checkWhole(content: Buffer): Promise<void> {
  try {
    await sharp(content, { limitInputPixels: MAX_PIXELS, failOn: 'truncated' })
      .resize(SAMPLE_SIDE)
      .toBuffer();
  } catch (cause) {
    throw new FileFault('is a damaged image', { cause });
  }
}

/** JPEG and WebP become JPEG; formats that may have edges or transparency become PNG, without loss. */
async function render(content: Buffer, { format }: Pick<Metadata, 'format'>, side: number) {
  const upright = sharp(content, { limitInputPixels: MAX_PIXELS })
    .rotate()
    .resize({ width: side, height: side, fit: 'inside', withoutEnlargement: true });
  const isPhoto = format === 'jpeg' || format === 'webp';
  const { data, info } = await encode(upright, isPhoto);
  return {
    content: data,
    mimeType: isPhoto ? 'image/jpeg' : 'image/png',
    width: info.width,
    height: info.height,
  };
}

async function encode(image: Sharp, isPhoto: boolean) {
  const encoded = isPhoto
    ? image.flatten({ background: 'white' }).jpeg({ quality: 85 })
    : image.png();
  try {
    return await encoded.toBuffer({ resolveWithObject: true });
  } catch (cause) {
    throw new FileFault('is a damaged image', { cause });
  }
}

function describe(
  { orientation, pages }: { orientation: number; pages: number },
  { side, made }: { side: number; made: number },
): string {
  return [
    ...(orientation === 1 ? [] : ['turned upright']),
    ...(made < side ? [`scaled down from ${side} to ${made} pixels of its longer side`] : []),
    ...(orientation === 1 && pages === 1 && made >= side ? ['encoded anew to be smaller'] : []),
    ...(pages > 1 ? ['only its first picture is shown'] : []),
  ].join('; ');
}
