/** Bytes from which the encoding is guessed. */
const SAMPLE_BYTES = 4_096;
/** Characters below which zeros may be chance. */
const FEW_UNITS = 4;
/** Share of high bytes that are zero in a text of mostly Latin letters, at least. */
const ZERO_HIGH_BYTES = 0.4;
/** Share of low bytes that are zero in any text, at most. */
const ZERO_LOW_BYTES = 0.05;

/**
 * The byte order of a text in UTF-16, by its byte order mark, else by the positions of its zeros.
 * Undefined for all else, and for a text without a mark that has no Latin letters, digits and spaces.
 */
export function detectUtf16(content: Uint8Array): 'utf-16le' | 'utf-16be' | undefined {
  const [first, second] = content;
  if (first === 0xff && second === 0xfe) return 'utf-16le';
  if (first === 0xfe && second === 0xff) return 'utf-16be';
  const units = Math.floor(Math.min(content.length, SAMPLE_BYTES) / 2);
  if (units < FEW_UNITS || content.length % 2 === 1) return undefined;
  const [even, odd] = [countZeros(content, 0, units), countZeros(content, 1, units)];
  if (odd >= units * ZERO_HIGH_BYTES && even <= units * ZERO_LOW_BYTES) {
    return hasControls(content, 'low first', units) ? undefined : 'utf-16le';
  }
  if (even < units * ZERO_HIGH_BYTES || odd > units * ZERO_LOW_BYTES) return undefined;
  return hasControls(content, 'high first', units) ? undefined : 'utf-16be';
}

function countZeros(content: Uint8Array, from: 0 | 1, units: number): number {
  let zeros = 0;
  for (let unit = 0; unit < units; unit += 1) if (content[unit * 2 + from] === 0) zeros += 1;
  return zeros;
}

/** Whether the units include control characters, which numbers of two bytes have and text has not. */
function hasControls(
  content: Uint8Array,
  order: 'low first' | 'high first',
  units: number,
): boolean {
  const [low, high] = order === 'low first' ? [0, 1] : [1, 0];
  for (let unit = 0; unit < units; unit += 1) {
    const code = (content[unit * 2 + high] ?? 0) * 256 + (content[unit * 2 + low] ?? 0);
    if (code < 0x20 && !isTextByte(code)) return true;
  }
  return false;
}

/** Control bytes that a text may have: tab, line feed, form feed, carriage return, escape. */
const textControls = new Set([0x09, 0x0a, 0x0c, 0x0d, 0x1b]);

/** Whether a text may have this byte, in an encoding of single bytes. */
export const isTextByte = (byte: number): boolean => byte >= 0x20 || textControls.has(byte);
