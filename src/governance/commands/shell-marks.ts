/**
 * Marks in the words of a scanned command, for text that the shell expands. They are characters of
 * the private use area, which no program's name has, and are removed from the command first, as a
 * shell removes NUL.
 */

/** Any text, also none: a variable's value, a command's output, a matched file name. */
export const HOLE = '\uE000';
/** Precedes an unquoted `*`, `?` or `[`, which match file names. */
const MATCHES = '\uE001';
/** Precedes an unquoted brace or comma. */
const BRACES = '\uE002';

/** Bounds of brace expansion: words that result and braces in a word; characters of a word. */
const MAX_WORDS = 64;
const MAX_WORD_CHARS = 4_000;

export function withoutMarks(command: string): string {
  return command.replaceAll('\0', '').replaceAll(/[\uE000-\uE002]/g, '');
}

/** An unquoted character, with its mark. */
export function unquoted(character: string): string {
  if ('*?['.includes(character)) return MATCHES + character;
  return '{},'.includes(character) ? BRACES + character : character;
}

/** Expands a word's braces; a hole stands for sequences such as `{1..9}` and for too many words. */
export function expandBraces(word: string): string[] {
  const braces = word.split(`${BRACES}{`).length - 1;
  if (braces === 0) return [word.replaceAll(BRACES, '')];
  if (braces > MAX_WORDS || word.length > MAX_WORD_CHARS) return [HOLE];
  const words: string[] = [];
  const open = [word];
  while (open.length > 0) {
    const next = open.shift() ?? '';
    const parts = outermostBraces(next);
    if (parts === undefined) words.push(next.replaceAll(BRACES, ''));
    else if (parts.between.length < 2) open.unshift(parts.before + HOLE + parts.after);
    else open.unshift(...parts.between.map((one) => parts.before + one + parts.after));
    if (words.length + open.length > MAX_WORDS) return [HOLE];
  }
  return words;
}

/** The word as a program's name: a file pattern may match any name. */
export function asProgram(word: string): string {
  const plain = asArgument(word);
  if (plain === '[' || plain === '[[') return plain;
  return word.replaceAll(/\uE001[^]/g, HOLE);
}

/** The word as an argument: a file pattern is kept as written. */
export function asArgument(word: string): string {
  return word.replaceAll(MATCHES, '');
}

interface Braces {
  before: string;
  between: string[];
  after: string;
}

/** The first braces that a shell expands; undefined without any. */
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
