/** What may make a shell run or open something that the words do not show. */
const unclear = new Set(['(', ')', '<', '>', '\n', '\r', '\0', '#']);

/**
 * The simple commands of a shell command that has nothing but those, joined by `&&`, `||`, `;` and
 * `|`. Our own, since it must refuse where a parser would guess: what it splits runs no other
 * program than the words at the beginning of its parts.
 *
 * @returns each part, its blanks outside quotes as one; undefined for everything else: expansions,
 * substitutions, redirections, the background, several lines, comments, open quotes.
 */
export function splitCommand(command: string): string[] | undefined {
  const parts = [''];
  let quote = '';
  for (let index = 0; index < command.length; index += 1) {
    const character = command.charAt(index);
    const next = command.charAt(index + 1);
    let said = character;
    if (quote === "'") {
      if (character === quote) quote = '';
    } else if (character === '\\') {
      if (next === '' || next === '\n') return undefined;
      said += next;
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
      said = /^\s$/.test(next) ? '' : ' ';
    } else if (';|&'.includes(character)) {
      const isDouble = next === character && character !== ';';
      if (character === '&' && !isDouble) return undefined;
      if (isDouble) index += 1;
      parts.push('');
      continue;
    }
    parts.push((parts.pop() ?? '') + said);
  }
  // Other blanks are characters of a name, to a shell.
  const clean = parts.map((part) => part.replaceAll(/^ +| +$/g, ''));
  return quote === '' && clean.every((part) => part !== '') ? clean : undefined;
}
