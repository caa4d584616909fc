import sharp, { type Metadata, type Sharp } from 'sharp';
import type { ImageLimits, ImageOutcome } from '../outcomes.js';
import { FileFault } from '../file-fault.js';

/** Pixels from which an image is not decoded. */
export const MOST_PIXELS = 100_000_000;
/** Factor of the longer side from one try to the next. */
const SHRINK = 0.75;
const MOST_TRIES = 8;
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
  for (let tries = 0; tries < MOST_TRIES; tries += 1) {
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
  if (pixels <= MOST_PIXELS) return head;
  throw new FileFault(`has ${pixels} pixels; at most ${MOST_PIXELS} are read`);
}

/** A truncated image would make the provider refuse the request, and end the turn. */
async function checkWhole(content: Buffer): Promise<void> {
  try {
    await sharp(content, { limitInputPixels: MOST_PIXELS, failOn: 'truncated' })
      .resize(SAMPLE_SIDE)
      .toBuffer();
  } catch (cause) {
    throw new FileFault('is a damaged image', { cause });
  }
}

/** JPEG and WebP become JPEG; formats that may have edges or transparency become PNG, without loss. */
async function render(content: Buffer, { format }: Pick<Metadata, 'format'>, side: number) {
  const upright = sharp(content, { limitInputPixels: MOST_PIXELS })
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
