/** Bytes that tell the encoding. */
const SAMPLE_BYTES = 4_096;
/** Fewer characters may be zeros by chance. */
const FEW_UNITS = 4;
/** Of the higher halves of the characters that are zero: fewer are no text of mostly Latin letters. */
const MOST_HIGH = 0.4;
/** Of the lower halves: more are no text at all. */
const FEW_LOW = 0.05;

/**
 * Which UTF-16 a text is in: by its byte order mark, else by where its zeros are. Undefined for what is
 * none. A text without a mark and without Latin letters, digits and spaces is not found out.
 */
export function detectUtf16(content: Uint8Array): 'utf-16le' | 'utf-16be' | undefined {
  const [first, second] = content;
  if (first === 0xff && second === 0xfe) return 'utf-16le';
  if (first === 0xfe && second === 0xff) return 'utf-16be';
  const units = Math.floor(Math.min(content.length, SAMPLE_BYTES) / 2);
  if (units < FEW_UNITS || content.length % 2 === 1) return undefined;
  const [even, odd] = [countZeros(content, 0, units), countZeros(content, 1, units)];
  if (odd >= units * MOST_HIGH && even <= units * FEW_LOW) {
    return hasControls(content, 'low first', units) ? undefined : 'utf-16le';
  }
  if (even < units * MOST_HIGH || odd > units * FEW_LOW) return undefined;
  return hasControls(content, 'high first', units) ? undefined : 'utf-16be';
}

function countZeros(content: Uint8Array, from: 0 | 1, units: number): number {
  let zeros = 0;
  for (let unit = 0; unit < units; unit += 1) if (content[unit * 2 + from] === 0) zeros += 1;
  return zeros;
}

/** Whether it has what no text has: numbers of two bytes have their zeros in the same places. */
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

/** Bytes below the space that a text may have: tab, line feed, form feed, carriage return, escape. */
const textControls = new Set([0x09, 0x0a, 0x0c, 0x0d, 0x1b]);

/** Whether a text may have this byte, in an encoding of single bytes. */
export const isTextByte = (byte: number): boolean => byte >= 0x20 || textControls.has(byte);
