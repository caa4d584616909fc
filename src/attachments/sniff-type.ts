import { fileTypeFromBuffer } from 'file-type';
import { mediaKind } from './classify.js';

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
/** Bytes below the space that a text may have: tab, line feed, form feed, carriage return, escape. */
const textControls = new Set([0x09, 0x0a, 0x0c, 0x0d, 0x1b]);

/**
 * Whether the first bytes of a file are text for people. It is asked before what they are known
 * for: a list that begins with `BM` is no picture, and UTF-16 is no music.
 */
export function isTextLike(start: Uint8Array): boolean {
  const [first, second] = start;
  const isUtf16 = (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff);
  if (isUtf16) return true;
  if (pdf.equals(start.subarray(0, pdf.length))) return false;
  return start.every((byte) => byte >= 0x20 || textControls.has(byte));
}

/**
 * The reason for a file whose first bytes are of another kind than its name says. Bytes that nothing
 * is known of pass: a text has no mark, and whether a document is whole is for its reader to say.
 */
export async function refuseMismatch(
  start: Uint8Array,
  mimeType: string,
): Promise<string | undefined> {
  const kind = mediaKind(mimeType);
  if (kind === 'text' && isTextLike(start)) return undefined;
  const found = (await sniffType(start))?.mimeType;
  if (found === undefined || found === mimeType) return undefined;
  // Which of them an archive is stands further inside than this looks.
  if (kind === 'office' && found === 'application/zip') return undefined;
  return `Attachment content is ${found}, but its name says ${mimeType}: give the file its right extension`;
}
