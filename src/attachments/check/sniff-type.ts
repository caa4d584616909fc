import { fileTypeFromBuffer } from 'file-type';
import { mediaKind } from './classify.js';
import { detectUtf16, isTextByte } from '../extract/text/detect-utf16.js';

/** Bytes from the beginning of a file that tell what it is. */
export const SNIFF_BYTES = 4_100;

/** Kinds that are another name for one we take. */
const sameAs: Readonly<Record<string, string>> = { 'image/apng': 'image/png' };

/** What the first bytes of a file are known for; undefined for text, and for what nobody knows. */
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
 * Whether the first bytes of a file are text for people. It is asked before what they are known
 * for: a list that begins with `BM` is no picture, and UTF-16 is no music.
 */
export function isTextLike(start: Uint8Array): boolean {
  // Where it is cut off may be in the middle of a character.
  const whole = start.subarray(0, start.length - (start.length % 2));
  if (detectUtf16(whole) !== undefined) return true;
  if (pdf.equals(start.subarray(0, pdf.length))) return false;
  return start.every(isTextByte);
}

/** Whether the first bytes of a file are of no text in any encoding that is read. */
function isBinary(start: Uint8Array): boolean {
  if (isTextLike(start)) return false;
  const controls = start.filter((byte) => !isTextByte(byte)).length;
  return start.includes(0) || controls > start.length * MOST_CONTROLS;
}

/**
 * The reason for a file whose first bytes are of another kind than its name says. Bytes that nothing
 * is known of pass, unless the file is to be a text: whether a document is whole is for its reader to say.
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
  // Which of them an archive is stands further inside than this looks.
  if (kind === 'office' && found === 'application/zip') return undefined;
  return `Attachment content is ${found}, but its name says ${mimeType}: give the file its right extension`;
}
