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

/**
 * The reason for a file whose first bytes are of another kind than its name says. Bytes that nothing
 * is known of pass: a text has no mark, and whether a document is whole is for its reader to say.
 */
export async function refuseMismatch(
  start: Uint8Array,
  mimeType: string,
): Promise<string | undefined> {
  const found = (await sniffType(start))?.mimeType;
  if (found === undefined || found === mimeType) return undefined;
  const kind = mediaKind(mimeType);
  if (kind === 'text' && isText(found)) return undefined;
  // Which of them an archive is stands further inside than this looks.
  if (kind === 'office' && found === 'application/zip') return undefined;
  return `Attachment content is ${found}, but its name says ${mimeType}: give the file its right extension`;
}

function isText(mime: string): boolean {
  return mime.startsWith('text/') || mime === 'application/xml' || mime === 'application/rtf';
}
