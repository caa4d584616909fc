const letters: Readonly<Record<string, string>> = {
  a: '\u0007',
  b: '\b',
  e: '\u001b',
  E: '\u001b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
};
const coded = /^(?:x([0-9a-fA-F]{1,2})|u([0-9a-fA-F]{1,4})|U([0-9a-fA-F]{1,8}))/;

/**
 * The character of an escape `\…` in `$'…'`, and the escape's length. An invalid code gives no
 * character.
 *
 * @param text begins after the backslash.
 */
export function parseEscape(text: string): { character: string; length: number } {
  const octal = /^[0-7]{1,3}/.exec(text)?.[0];
  if (octal !== undefined) {
    return { character: characterOf(Number.parseInt(octal, 8) % 256), length: octal.length };
  }
  const hex = coded.exec(text);
  if (hex !== null) {
    const code = Number.parseInt(hex[1] ?? hex[2] ?? hex[3] ?? '', 16);
    return { character: characterOf(code), length: hex[0].length };
  }
  if (text.startsWith('c') && text.length > 1) {
    return { character: characterOf(text.charCodeAt(1) % 32), length: 2 };
  }
  const first = text.charAt(0);
  const character = letters[first] ?? (`'"\\?`.includes(first) ? first : `\\${first}`);
  return { character, length: first.length };
}

function characterOf(code: number): string {
  return code > 0 && code <= 0x10_ffff ? String.fromCodePoint(code) : '';
}
