import { fileTypeFromBuffer } from 'file-type';
import { detectUtf16, isTextByte } from '../extract/text/detect-utf16.js';

/** Bytes from the start of a file by which its type is found. */
export const SNIFF_BYTES = 4_100;

/** Types that are an alias of an accepted type. */
const sameAs: Readonly<Record<string, string>> = { 'image/apng': 'image/png' };

/** The type of a file by its magic number; undefined for text, and for an unknown type. */
export async function sniffType(start: Uint8Array): Promise<string | undefined> {
  const found = await fileTypeFromBuffer(start);
  return found === undefined ? undefined : (sameAs[found.mime] ?? found.mime);
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
export function isBinary(start: Uint8Array): boolean {
  if (isTextLike(start)) return false;
  const controls = start.filter((byte) => !isTextByte(byte)).length;
  return start.includes(0) || controls > start.length * MOST_CONTROLS;
}
