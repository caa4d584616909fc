/**
 * Pixels of a side of the square that one token covers, most pixels of a side and most tokens of an image: the provider
 * shrinks larger images. From its guide to vision (`build-with-claude/vision`), for models from 4.7 on. Earlier ones
 * shrink more, and take fewer.
 */
const PATCH_PIXELS = 28;
const MAX_IMAGE_SIDE = 2_576;
const MAX_IMAGE_TOKENS = 4_784;

/** Tokens of an image of unknown size: the most that an older model takes of an image. */
const UNKNOWN_IMAGE_TOKENS = 1_600;

/**
 * Tokens of a page: it counts as its text and as an image (`build-with-claude/pdf-support`: 1,500 to
 * 3,000 tokens of text, and the tokens of an image).
 */
const PAGE_TEXT_TOKENS = 2_250;
const PAGE_IMAGE_TOKENS = 1_600;

/** Bytes taken for a page of a PDF whose number of pages is compressed. */
const BYTES_PER_PAGE = 50_000;

/** Tokens of a picture, by its size in pixels. */
export function estimateImage(base64: string): number {
  const size = imageSize(base64);
  if (size === undefined) return UNKNOWN_IMAGE_TOKENS;
  const scale = Math.min(1, MAX_IMAGE_SIDE / Math.max(size.width, size.height));
  const [across, down] = [size.width, size.height].map((side) =>
    Math.ceil((side * scale) / PATCH_PIXELS),
  );
  return Math.min(MAX_IMAGE_TOKENS, (across ?? 1) * (down ?? 1));
}

/** Tokens of a PDF, by its number of pages. @param tokenScale the tokenizer's factor of the model. */
export function estimatePdf(base64: string, tokenScale: number): number {
  const text = Buffer.from(base64, 'base64').toString('latin1');
  const listed = text.match(/\/Type\s*\/Page(?![A-Za-z])/g)?.length ?? 0;
  const counts = [...text.matchAll(/\/Count\s+(\d{1,6})/g)].map(([, count]) => Number(count));
  const found = Math.max(listed, ...counts);
  const pages = found > 0 ? found : Math.ceil(text.length / BYTES_PER_PAGE);
  return Math.ceil(pages * (PAGE_TEXT_TOKENS * tokenScale + PAGE_IMAGE_TOKENS));
}

export interface ImageSize {
  width: number;
  height: number;
}

/** Bytes in which a JPEG has its size: profiles and previews may precede it. */
const HEAD_BYTES = 256 * 1024;

/**
 * The size in pixels of a PNG, JPEG, GIF or WebP, from its head alone. Pure.
 *
 * @returns undefined for other files, and for a head without a size.
 */
export function imageSize(base64: string): ImageSize | undefined {
  // Four characters encode three bytes; a cut within four would lose some.
  const head = Buffer.from(base64.slice(0, Math.ceil(HEAD_BYTES / 3) * 4), 'base64');
  const size = ofPng(head) ?? ofGif(head) ?? ofWebp(head) ?? ofJpeg(head);
  return size !== undefined && size.width > 0 && size.height > 0 ? size : undefined;
}

function ofPng(head: Buffer): ImageSize | undefined {
  if (head.length < 24 || head.toString('latin1', 1, 4) !== 'PNG') return undefined;
  return { width: head.readUInt32BE(16), height: head.readUInt32BE(20) };
}

function ofGif(head: Buffer): ImageSize | undefined {
  if (head.length < 10 || head.toString('latin1', 0, 3) !== 'GIF') return undefined;
  return { width: head.readUInt16LE(6), height: head.readUInt16LE(8) };
}

function ofWebp(head: Buffer): ImageSize | undefined {
  if (head.length < 30 || head.toString('latin1', 8, 12) !== 'WEBP') return undefined;
  switch (head.toString('latin1', 12, 16)) {
    case 'VP8X':
      return { width: head.readUIntLE(24, 3) + 1, height: head.readUIntLE(27, 3) + 1 };
    case 'VP8L': {
      const bits = head.readUInt32LE(21);
      return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 };
    }
    case 'VP8 ':
      return { width: head.readUInt16LE(26) & 0x3fff, height: head.readUInt16LE(28) & 0x3fff };
    default:
      return undefined;
  }
}

function ofJpeg(head: Buffer): ImageSize | undefined {
  if (head.length < 4 || head.readUInt16BE(0) !== 0xffd8) return undefined;
  let at = 2;
  while (at + 9 <= head.length && head[at] === 0xff) {
    const marker = head[at + 1] ?? 0;
    if (isFrame(marker))
      return { height: head.readUInt16BE(at + 5), width: head.readUInt16BE(at + 7) };
    at += 2 + head.readUInt16BE(at + 2);
  }
  return undefined;
}

/** Whether a marker starts a frame of any coding; three markers of that range are tables. */
function isFrame(marker: number): boolean {
  return marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
}
