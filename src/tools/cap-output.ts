/**
 * Keeps the first and the last `limit / 2` characters (UTF-16 units, no pair is split) of a text longer
 * than `limit`, with a marker between them. The marker's own length comes on top of `limit`.
 */
export function capOutput(text: string, limit: number): string {
  if (text.length <= limit) return text;
  const head = text.slice(0, cutAt(text, Math.ceil(limit / 2)));
  const tail = text.slice(cutAt(text, text.length - Math.floor(limit / 2), 'forward'));
  const shown = head.length + tail.length;
  return `${head}\n[output cut: ${shown} of ${text.length} characters shown]\n${tail}`;
}

/** `index`, moved by one towards the dropped part where it would split a surrogate pair. */
function cutAt(text: string, index: number, towards: 'back' | 'forward' = 'back'): number {
  const splits = isBetween(text.charCodeAt(index - 1), 0xd800, 0xdbff);
  if (!splits || !isBetween(text.charCodeAt(index), 0xdc00, 0xdfff)) return index;
  return towards === 'back' ? index - 1 : index + 1;
}

function isBetween(code: number, low: number, high: number): boolean {
  return code >= low && code <= high;
}
