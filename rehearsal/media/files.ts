/** Types, sizes and pages of images and PDFs, from their bytes or base64. */

export type ImageKind = 'image/png' | 'image/jpeg' | 'image/gif' | 'image/webp';

export interface ImageSize {
  width: number;
  height: number;
}

/** The media type by the first bytes of a file; undefined where the API takes none. */
export function imageKind(bytes: Buffer): ImageKind | undefined {
  if (bytes.subarray(0, 4).equals(Buffer.from([0x89, 0x50, 0x4e, 0x47]))) return 'image/png';
  if (bytes.subarray(0, 3).equals(Buffer.from([0xff, 0xd8, 0xff]))) return 'image/jpeg';
  if (bytes.toString('latin1', 0, 4) === 'GIF8') return 'image/gif';
  const isRiff = bytes.toString('latin1', 0, 4) === 'RIFF';
  return isRiff && bytes.toString('latin1', 8, 12) === 'WEBP' ? 'image/webp' : undefined;
}

/** The size in pixels by an image's header; undefined where it has none. */
export function parseImageHeader(bytes: Buffer): ImageSize | undefined {
  switch (imageKind(bytes)) {
    case 'image/png':
      return bytes.length < 24
        ? undefined
        : { width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) };
    case 'image/gif':
      return bytes.length < 10
        ? undefined
        : { width: bytes.readUInt16LE(6), height: bytes.readUInt16LE(8) };
    case 'image/jpeg':
      return jpegSize(bytes);
    case 'image/webp':
      return webpSize(bytes);
    case undefined:
      return undefined;
  }
}

/** Skips segments to the start of a frame: C0 to CF, except three that are tables. */
function jpegSize(bytes: Buffer): ImageSize | undefined {
  let at = 2;
  while (at + 9 <= bytes.length && bytes[at] === 0xff) {
    const marker = bytes[at + 1] ?? 0;
    const isFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
    if (isFrame) return { height: bytes.readUInt16BE(at + 5), width: bytes.readUInt16BE(at + 7) };
    at += 2 + bytes.readUInt16BE(at + 2);
  }
  return undefined;
}

function webpSize(bytes: Buffer): ImageSize | undefined {
  if (bytes.length < 30) return undefined;
  switch (bytes.toString('latin1', 12, 16)) {
    case 'VP8 ':
      return { width: bytes.readUInt16LE(26) & 0x3fff, height: bytes.readUInt16LE(28) & 0x3fff };
    case 'VP8L': {
      const bits = bytes.readUInt32LE(21);
      return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 };
    }
    case 'VP8X':
      return { width: bytes.readUIntLE(24, 3) + 1, height: bytes.readUIntLE(27, 3) + 1 };
    default:
      return undefined;
  }
}

/** Characters of base64 in which the type and the size of an image are looked for. */
const typeCharacters = 64;
const sizeCharacters = 400_000;

/** The media type of an image in base64; undefined where the API takes none. */
export function imageKindOf(data: string): ImageKind | undefined {
  return imageKind(Buffer.from(data.slice(0, typeCharacters), 'base64'));
}

/** The size of an image in base64; undefined where its header has none. */
export function imageSizeOf(data: string): ImageSize | undefined {
  return parseImageHeader(Buffer.from(data.slice(0, sizeCharacters), 'base64'));
}

export function isPdf(data: string): boolean {
  return Buffer.from(data.slice(0, typeCharacters), 'base64').includes('%PDF-');
}

/** Pages of a PDF as far as they are not compressed, at least one. */
export function pagesOf(data: string): number {
  const text = Buffer.from(data, 'base64').toString('latin1');
  return Math.max(text.match(/\/Type\s*\/Page(?![a-zA-Z])/g)?.length ?? 0, 1);
}

/** The largest image that a model sees as it is. */
export interface ImageLimits {
  /** Pixels of a side. */
  side: number;
  tokens: number;
}

const patchPixels = 28;

/** Tokens of an image in base64: one for each patch of 28 x 28 pixels, after it is scaled down to the limits. */
export function imageTokens(data: string, limits: ImageLimits): number {
  const size = imageSizeOf(data);
  if (size === undefined) return limits.tokens;
  const long = Math.max(size.width, size.height);
  const short = Math.min(size.width, size.height);
  const tokensAt = (side: number): number => {
    const across = patches(side);
    const tokens = across * patches(Math.max(roundToEven((side * short) / long), 1));
    return across * patchPixels <= limits.side ? tokens : Number.POSITIVE_INFINITY;
  };
  // The largest size that fits, by the length of its longer side.
  let [fits, over] = [1, long + 1];
  while (fits + 1 < over) {
    const side = Math.floor((fits + over) / 2);
    if (tokensAt(side) <= limits.tokens) fits = side;
    else over = side;
  }
  return tokensAt(fits);
}

function patches(pixels: number): number {
  return Math.ceil(pixels / patchPixels);
}

/** Rounds as the API does: half a pixel to the even neighbour. */
function roundToEven(value: number): number {
  const floor = Math.floor(value);
  if (value - floor !== 0.5) return Math.round(value);
  return floor % 2 === 0 ? floor : floor + 1;
}

/**
 * Whether a text is base64 of the standard alphabet, with padding or without. Takes texts of any length: a single
 * expression would backtrack over each character, and fails on some ten million.
 */
export function isBase64(text: string): boolean {
  const end = text.indexOf('=');
  const padding = end < 0 ? '' : text.slice(end);
  if (padding.length > 2 || /[^=]/.test(padding)) return false;
  return !/[^A-Za-z0-9+/]/.test(end < 0 ? text : text.slice(0, end));
}
