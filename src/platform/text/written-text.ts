import { decodeStrictly } from './well-formed.js';

const BOM = '\uFEFF';

/** The marks of encodings at the start of a file, longest first: that of UTF-32 begins with that of UTF-16. */
const marks: readonly [name: string, decoder: string | undefined, mark: readonly number[]][] = [
  ['UTF-32LE', undefined, [0xff, 0xfe, 0, 0]],
  ['UTF-32BE', undefined, [0, 0, 0xfe, 0xff]],
  ['UTF-16LE', 'utf-16le', [0xff, 0xfe]],
  ['UTF-16BE', 'utf-16be', [0xfe, 0xff]],
];

/** A text without its mark. `encoding`: what its mark names; undefined: it is UTF-8. */
type MarkedText =
  | { text: string; encoding: string | undefined; hasBom: boolean }
  /** No text in UTF-8, nor in the encoding that its mark names. */
  | { text: undefined; encoding: string | undefined };

/**
 * Decodes bytes in the encoding of their mark, else as UTF-8, and in no encoding that would be a guess. Bytes with a NUL
 * and without a mark are no text.
 *
 * @param isCut whether they are the start of more, and may end within a letter.
 */
export function decodeMarked(bytes: Uint8Array, isCut = false): MarkedText {
  for (const [encoding, decoder, mark] of marks) {
    if (!mark.every((byte, index) => bytes[index] === byte)) continue;
    const text = decoder && decodeStrictly(bytes, { encoding: decoder, isCut });
    return text === undefined ? { text, encoding } : { text, encoding, hasBom: true };
  }
  const text = bytes.includes(0) ? undefined : decodeStrictly(bytes, { keepsMark: true, isCut });
  if (text === undefined) return { text, encoding: undefined };
  const hasBom = text.startsWith(BOM);
  return { text: hasBom ? text.slice(BOM.length) : text, encoding: undefined, hasBom };
}

/** The text of a file that a person wrote; or what is wrong with it, as the end of a sentence about the file. */
export type WrittenText = { text: string } | { fault: string };

/** Reads UTF-8, and UTF-16 with a mark, as editors and shells of Windows save it. */
export function readWritten(bytes: Uint8Array): WrittenText {
  const { text, encoding } = decodeMarked(bytes);
  // A NUL that is a character comes from UTF-16 that was written into UTF-16.
  if (text !== undefined && !text.includes('\0')) return { text };
  if (encoding !== undefined) return { fault: `is not whole text in ${encoding}` };
  return bytes.includes(0)
    ? { fault: 'is not text in UTF-8: it is binary, or UTF-16 without a byte order mark' }
    : { fault: 'is not text in UTF-8' };
}
