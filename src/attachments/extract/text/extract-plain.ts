import chardet from 'chardet';
import iconv from 'iconv-lite';
import { detectUtf16 } from './detect-utf16.js';
import type { ExtractedText } from '../extracted-text.js';

/** Bytes from which the encoding is guessed. */
const SAMPLE_BYTES = 64 * 1024;
const LAST_RESORT = 'windows-1252';

export async function extractPlain(content: Buffer): Promise<ExtractedText> {
  return { text: decode(content), via: 'text' };
}

/**
 * Decodes text as UTF-16, with a byte order mark or without, as UTF-8, as declared, or by a guess from
 * its bytes; the first that fits.
 */
export function decode(content: Buffer, declared?: string): string {
  const utf16 = detectUtf16(content);
  if (utf16 !== undefined) return iconv.decode(content, utf16);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(content);
  } catch {
    const guess = declared ?? chardet.detect(content.subarray(0, SAMPLE_BYTES)) ?? LAST_RESORT;
    // The bytes are not UTF-8, and text declared as Latin 1 is in practice Windows-1252.
    const isLatin = /^(utf-?8|iso-?8859-?1|ascii)$/i.test(guess) || !iconv.encodingExists(guess);
    return iconv.decode(content, isLatin ? LAST_RESORT : guess);
  }
}
