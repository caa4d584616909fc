import { fileTypeFromBuffer } from 'file-type';
import { mediaKind } from './classify.js';
import { detectUtf16, isTextByte } from '../extract/text/detect-utf16.js';

/** Bytes from the start of a file by which its type is found. */
export const SNIFF_BYTES = 4_100;

/** Types that are an alias of an accepted type. */
const sameAs: Readonly<Record<string, string>> = { 'image/apng': 'image/png' };

/** The type of a file by its magic number; undefined for text, and for an unknown type. */
export async function sniffType(
  start: Uint8Array,
): Promise<{ mimeType: string; extension: string } | undefined> {
  const found = await fileTypeFromBuffer(start);
  if (found === undefined) return undefined;
  return { mimeType: sameAs[found.mime] ?? found.mime, extension: found.ext };
}

const pdf = Buffer.from('%PDF-');
/** Largest share of control characters in a text's bytes: a log may have some. */
const MOST_CONTROLS = 0.02;

/**
 * Whether the first bytes of a file are text. Tested before the magic number: a list that begins with
 * `BM` is no bitmap, and UTF-16 is no MP3.
 */
export function isTextLike(start: Uint8Array): boolean {
  // The cut may be in the middle of a UTF-16 character.
  const whole = start.subarray(0, start.length - (start.length % 2));
  if (detectUtf16(whole) !== undefined) return true;
  if (pdf.equals(start.subarray(0, pdf.length))) return false;
  return start.every(isTextByte);
}

/** Whether the first bytes of a file are no text in any known encoding. */
function isBinary(start: Uint8Array): boolean {
  if (isTextLike(start)) return false;
  const controls = start.filter((byte) => !isTextByte(byte)).length;
  return start.includes(0) || controls > start.length * MOST_CONTROLS;
}

/**
 * The reason against a file whose first bytes contradict its name. Unknown bytes pass, unless the name
 * is that of a text: a damaged document is refused when it is extracted.
 */
export async function refuseMismatch(
  start: Uint8Array,
  mimeType: string,
): Promise<string | undefined> {
  const kind = mediaKind(mimeType);
  if (kind === 'text' && isTextLike(start)) return undefined;
  const found = (await sniffType(start))?.mimeType;
  if (found === undefined && kind === 'text' && isBinary(start)) {
    return `Attachment content is binary, but its name says ${mimeType}: give the file its right extension`;
  }
  if (found === undefined || found === mimeType) return undefined;
  // The first bytes of an office document may show only that it is a zip archive.
  if (kind === 'office' && found === 'application/zip') return undefined;
  return `Attachment content is ${found}, but its name says ${mimeType}: give the file its right extension`;
}
