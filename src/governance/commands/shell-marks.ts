/**
 * Characters that stand, in the words of a scanned command, for what the shell makes of them. The
 * command's own are taken out before, as a shell takes out NUL: they are of the private use area, and
 * no program is called so.
 */

/** Any text, also none: the value of a variable, the output of a command, a name that is matched. */
export const HOLE = '\uE000';
/** Before a character that is not quoted and matches names of files: `*`, `?` or `[`. */
const MATCHES = '\uE001';
/** Before a brace or a comma that is not quoted. */
const BRACES = '\uE002';

/** Most words that braces make of one, most braces in it, and most of its characters. */
const MOST_WORDS = 64;
const LONGEST_WORD = 4_000;

export function withoutMarks(command: string): string {
  return command.replaceAll('\0', '').replaceAll(/[\uE000-\uE002]/g, '');
}

/** A character as it stands outside of quotes. */
export function unquoted(character: string): string {
  if ('*?['.includes(character)) return MATCHES + character;
  return '{},'.includes(character) ? BRACES + character : character;
}

/** What a shell makes of a word's braces: several words, or a hole where they count or are many. */
export function expandBraces(word: string): string[] {
  const braces = word.split(`${BRACES}{`).length - 1;
  if (braces === 0) return [word.replaceAll(BRACES, '')];
  if (braces > MOST_WORDS || word.length > LONGEST_WORD) return [HOLE];
  const words: string[] = [];
  const open = [word];
  while (open.length > 0) {
    const next = open.shift() ?? '';
    const parts = outermostBraces(next);
    if (parts === undefined) words.push(next.replaceAll(BRACES, ''));
    else if (parts.between.length < 2) open.unshift(parts.before + HOLE + parts.after);
    else open.unshift(...parts.between.map((one) => parts.before + one + parts.after));
    if (words.length + open.length > MOST_WORDS) return [HOLE];
  }
  return words;
}

/** As the name of a program: what matches files may be any. */
export function asProgram(word: string): string {
  const plain = asArgument(word);
  if (plain === '[' || plain === '[[') return plain;
  return word.replaceAll(/\uE001[^]/g, HOLE);
}

/** As an argument: what matches files is taken as it is written. */
export function asArgument(word: string): string {
  return word.replaceAll(MATCHES, '');
}

interface Braces {
  before: string;
  between: string[];
  after: string;
}

/** The first braces that a shell expands; undefined where there are none. */
function outermostBraces(word: string): Braces | undefined {
  for (let from = word.indexOf(`${BRACES}{`); from !== -1;) {
    const found = bracesAt(word, from);
    if (found !== undefined) return found;
    from = word.indexOf(`${BRACES}{`, from + 2);
  }
  return undefined;
}

function bracesAt(word: string, from: number): Braces | undefined {
  const between: string[] = [];
  let depth = 0;
  let start = from + 2;
  for (let index = start; index < word.length; index += 1) {
    if (word[index] !== BRACES) continue;
    const mark = word[index + 1];
    const isOuter = depth === 0;
    if (mark === '{') depth += 1;
    else if (mark === '}') depth -= 1;
    if (!isOuter || mark === '{') continue;
    between.push(word.slice(start, index));
    start = index + 2;
    if (mark === ',') continue;
    const counts = between.length === 1 && between[0]?.includes('..') === true;
    if (between.length < 2 && !counts) return undefined;
    return { before: word.slice(0, from), between, after: word.slice(start) };
  }
  return undefined;
}
