import chardet from 'chardet';
import iconv from 'iconv-lite';
import type { TextFound } from './text-found.js';

/** Bytes that tell the encoding. */
const SAMPLE_BYTES = 64 * 1024;
const LAST_RESORT = 'windows-1252';

export async function readPlain(content: Buffer): Promise<TextFound> {
  return { text: decode(content), via: 'text' };
}

/** By its byte order mark, as UTF-8 if it is that, else by what its bytes look like. */
export function decode(content: Buffer, declared?: string): string {
  if (isUtf16(content)) return iconv.decode(content, 'utf-16');
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(content);
  } catch {
    const guess = declared ?? chardet.detect(content.subarray(0, SAMPLE_BYTES)) ?? LAST_RESORT;
    // It is not UTF-8; and who says Latin 1 means what Windows made of it.
    const isLatin = /^(utf-?8|iso-?8859-?1|ascii)$/i.test(guess) || !iconv.encodingExists(guess);
    return iconv.decode(content, isLatin ? LAST_RESORT : guess);
  }
}

function isUtf16(content: Buffer): boolean {
  const mark = content.length < 2 ? 0 : content.readUInt16BE(0);
  return mark === 0xfeff || mark === 0xfffe;
}
