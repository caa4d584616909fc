/** Characters that may make a shell run or open something outside of the words. */
const unclear = new Set(['(', ')', '<', '>', '\n', '\r', '\0', '#']);

/**
 * Splits a shell command that consists of simple commands, joined by `&&`, `||`, `;` and `|`. A
 * strict parser, which refuses where a general one would guess: a split command runs only the
 * programs at the beginning of its parts.
 *
 * @returns the parts, with single blanks outside of quotes; undefined for everything else:
 * expansions, substitutions, redirections, background, several lines, comments, open quotes.
 */
export function splitCommand(command: string): string[] | undefined {
  const parts = [''];
  let quote = '';
  for (let index = 0; index < command.length; index += 1) {
    const character = command.charAt(index);
    const next = command.charAt(index + 1);
    let taken = character;
    if (quote === "'") {
      if (character === quote) quote = '';
    } else if (character === '\\') {
      if (next === '' || next === '\n') return undefined;
      taken += next;
      index += 1;
    } else if (character === '$' || character === '`') {
      return undefined;
    } else if (quote === '"') {
      if (character === quote) quote = '';
    } else if (character === "'" || character === '"') {
      quote = character;
    } else if (unclear.has(character)) {
      return undefined;
    } else if (character === ' ' || character === '\t') {
      taken = /^\s$/.test(next) ? '' : ' ';
    } else if (';|&'.includes(character)) {
      const isDouble = next === character && character !== ';';
      if (character === '&' && !isDouble) return undefined;
      if (isDouble) index += 1;
      parts.push('');
      continue;
    }
    parts.push((parts.pop() ?? '') + taken);
  }
  // Other white space belongs to a word, for a shell.
  const clean = parts.map((part) => part.replaceAll(/^ +| +$/g, ''));
  return quote === '' && clean.every((part) => part !== '') ? clean : undefined;
}
