import { fileTypeFromBuffer } from 'file-type';
import { mediaKind } from './classify.js';

/** Bytes from the beginning of a file that tell what it is. */
export const SNIFF_BYTES = 4_100;

/** Kinds that are another name for one we take. */
const sameAs: Readonly<Record<string, string>> = { 'image/apng': 'image/png' };

/**
 * The reason for a file whose first bytes are of another kind than its name says. Bytes that nothing
 * is known of pass: a text has no mark, and whether a picture is whole is for the model to say.
 */
export async function refuseMismatch(
  start: Uint8Array,
  mimeType: string,
): Promise<string | undefined> {
  const found = await fileTypeFromBuffer(start);
  if (found === undefined) return undefined;
  const { mime } = found;
  if ((sameAs[mime] ?? mime) === mimeType) return undefined;
  if (mediaKind(mimeType) === 'text' && isText(mime)) return undefined;
  return `Attachment content is ${mime}, but its name says ${mimeType}: give the file its right extension`;
}

function isText(mime: string): boolean {
  return mime.startsWith('text/') || mime === 'application/xml' || mime === 'application/rtf';
}
