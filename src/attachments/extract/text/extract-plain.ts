import chardet from 'chardet';
import iconv from 'iconv-lite';
import { detectUtf16 } from './detect-utf16.js';
import type { ExtractedText } from '../extracted-text.js';

/** Bytes that tell the encoding. */
const SAMPLE_BYTES = 64 * 1024;
const LAST_RESORT = 'windows-1252';

export async function extractPlain(content: Buffer): Promise<ExtractedText> {
  return { text: decode(content), via: 'text' };
}

/** As UTF-16 if it is that, with a byte order mark or without; as UTF-8; else by what its bytes look like. */
export function decode(content: Buffer, declared?: string): string {
  const utf16 = detectUtf16(content);
  if (utf16 !== undefined) return iconv.decode(content, utf16);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(content);
  } catch {
    const guess = declared ?? chardet.detect(content.subarray(0, SAMPLE_BYTES)) ?? LAST_RESORT;
    // It is not UTF-8; and who says Latin 1 means what Windows made of it.
    const isLatin = /^(utf-?8|iso-?8859-?1|ascii)$/i.test(guess) || !iconv.encodingExists(guess);
    return iconv.decode(content, isLatin ? LAST_RESORT : guess);
  }
}
