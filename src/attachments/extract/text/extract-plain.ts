import chardet from 'chardet';
import iconv from 'iconv-lite';
import { decodeStrictly } from '../../../platform/text/well-formed.js';
import { detectUtf16 } from './decode-text.js';
import type { ExtractedText } from '../extraction-types.js';

/** Bytes in which a text declares its encoding. */
const HEAD_BYTES = 2_048;
/** Bytes from which the encoding is guessed. */
const SAMPLE_BYTES = 64 * 1024;
const LAST_RESORT = 'windows-1252';

/** Where texts declare their encoding: XML, HTML, CSS, and the sources of Python and Ruby. */
const declarations = [
  /^<\?xml[^>]+encoding\s*=\s*["']([\w-]+)/i,
  /<meta[^>]+charset\s*=\s*["']?([\w-]+)/i,
  /^@charset "([\w-]+)"/i,
  /^(?:#!.*\n)?#.*coding[:=]\s*([\w-]+)/i,
];

export async function extractPlain(content: Buffer): Promise<ExtractedText> {
  return { ...decode(content), via: 'text' };
}

/**
 * Decodes text as UTF-16, with a byte order mark or without, as UTF-8, as it declares, or by a guess from its
 * bytes, of which `doubt` tells; the first that fits.
 */
export function decode(content: Buffer): Pick<ExtractedText, 'text' | 'doubt'> {
  const utf16 = detectUtf16(content);
  if (utf16 !== undefined) return { text: iconv.decode(content, utf16) };
  const text = decodeStrictly(content);
  if (text !== undefined) return { text };
  const declared = findDeclared(content.subarray(0, HEAD_BYTES).toString('latin1'));
  if (declared !== undefined) return { text: iconv.decode(content, declared) };
  const guess = chardet.detect(content.subarray(0, SAMPLE_BYTES)) ?? LAST_RESORT;
  const encoding = normalize(guess) ?? LAST_RESORT;
  const doubt = `it does not declare its encoding, and ${encoding} is a guess: other letters than a to z may be wrong`;
  return { text: iconv.decode(content, encoding), doubt };
}

/** The encoding that a text declares in its first bytes, unless it is UTF-8. */
export function findDeclared(head: string): string | undefined {
  const found = declarations.map((pattern) => pattern.exec(head)?.[1]);
  return normalize(found.find((name) => name !== undefined));
}

/** The encoding by its name; undefined for none that is known, and for UTF-8, which the bytes are not. */
function normalize(name: string | undefined): string | undefined {
  if (name === undefined || /^utf-?8$/i.test(name) || !iconv.encodingExists(name)) return undefined;
  // Text declared as Latin 1 is Windows-1252 in practice.
  return /^(iso-?8859-?1|latin-?1|(us-)?ascii)$/i.test(name) ? LAST_RESORT : name;
}
