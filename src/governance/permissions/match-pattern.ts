import { matchSequence } from './match-sequence.js';
import { wildcardMatcher, type Wildcard } from './wildcards.js';

/** Most start positions tried in a text; beyond them a pattern counts as matching. */
const MOST_STARTS = 100;

export type Matcher = (text: string) => boolean;

/** Matches text: `*` is any characters, `\` takes the next character literally. */
export function textMatcher(pattern: string): Matcher {
  return wildcardMatcher(wildcards(pattern, '*'));
}

export function matchText(pattern: string, text: string): boolean {
  return textMatcher(pattern)(text);
}

/** Matches commands: a pattern that ends in ` *` also matches the program without arguments. */
export function commandMatcher(pattern: string): Matcher {
  const fits = textMatcher(pattern);
  if (!/[^\\] \*$/.test(pattern)) return fits;
  const bare = textMatcher(pattern.slice(0, -2));
  return (text) => fits(text) || bare(text);
}

/**
 * Matches paths: `*` and `?` are any characters and any character of a name, `**` is any number of
 * folders. Names that begin with a dot are ordinary names. A pattern that begins with `/` matches
 * the absolute path, any other the path below one of `roots`.
 *
 * Paths and `roots` are absolute and normalised.
 */
export function pathMatcher(pattern: string, roots: readonly string[]): Matcher {
  const items = namesOf(pattern).map((name) => ({
    isStar: name === '**',
    fits: wildcardMatcher(wildcards(name, '*?')),
  }));
  const isBelow = (path: string): boolean =>
    matchSequence({ items, isStar: ({ isStar }) => isStar }, namesOf(path), ({ fits }, name) =>
      fits(name),
    );
  if (pattern.startsWith('/')) return isBelow;
  return (path) =>
    roots.some((root) => {
      const below = path === root ? '' : pathBelow(root, path);
      return below !== undefined && isBelow(below);
    });
}

/** The path relative to `root`; undefined when `path` is not below it. */
export function pathBelow(root: string, path: string): string | undefined {
  const folder = root.endsWith('/') ? root : `${root}/`;
  return path.startsWith(folder) ? path.slice(folder.length) : undefined;
}

/**
 * Whether a pattern matches some expansion of a text with holes, where each `hole` stands for any
 * characters.
 */
export function meetsText(pattern: string, text: string, hole: string): boolean {
  const items = wildcards(pattern, '*');
  const pieces = text.split(hole);
  if (pieces.length === 1) return matchText(pattern, text);
  const star = items.findIndex((item) => !('literal' in item));
  if (star === -1) {
    const only = items.map(literalOf).join('');
    return matchText(pieces.map(patternOf).join('*'), only);
  }
  // Open in the middle on both sides: only the fixed beginnings and ends can conflict.
  const last = items.findLastIndex((item) => !('literal' in item));
  const literals = items.map(literalOf);
  const [begin, end] = [literals.slice(0, star).join(''), literals.slice(last + 1).join('')];
  const [first = '', final = ''] = [pieces[0], pieces.at(-1)];
  return (
    (begin.startsWith(first) || first.startsWith(begin)) &&
    (end.endsWith(final) || final.endsWith(end))
  );
}

/**
 * Whether a pattern matches the words from some word to the end, the first with or without its
 * folder. A pattern that begins with `*` is compared with the whole text alone.
 *
 * @param text words with single blanks.
 */
export function startsAt(pattern: string, text: string): boolean {
  const fits = commandMatcher(pattern);
  const items = wildcards(pattern, '*');
  const star = items.findIndex((item) => !('literal' in item));
  if (star === 0) return fits(text);
  const begin = items.slice(0, star === -1 ? undefined : star);
  const literal = begin.map(literalOf).join('');
  const start = star !== -1 && literal.endsWith(' ') ? literal.slice(0, -1) : literal;
  let tried = 0;
  for (let at = text.indexOf(start); at !== -1; at = text.indexOf(start, at + 1)) {
    if (at > 0 && !/[\s/=]/.test(text.charAt(at - 1))) continue;
    tried += 1;
    if (tried > MOST_STARTS || fits(text.slice(at))) return true;
  }
  return false;
}

/** The only text that a pattern matches; undefined when it may match several. */
export function onlyFit(pattern: string): string | undefined {
  const all = wildcards(pattern, '*');
  return all.every((item) => 'literal' in item)
    ? all.map(({ literal }) => literal).join('')
    : undefined;
}

/** The pattern that matches this text alone. */
export function patternOf(text: string): string {
  return text.replaceAll(/[\\*?]/g, String.raw`\$&`);
}

/** @param special characters of `*` and `?` that are wildcards. */
function wildcards(pattern: string, special: string): Wildcard[] {
  const found: Wildcard[] = [];
  for (let index = 0; index < pattern.length; index += 1) {
    const character = pattern.charAt(index);
    if (character === '\\' && index + 1 < pattern.length) {
      index += 1;
      found.push({ literal: pattern.charAt(index) });
    } else if (special.includes(character)) {
      found.push(character === '*' ? { any: 'many' } : { fits: () => true });
    } else {
      found.push({ literal: character });
    }
  }
  return found;
}

function literalOf(item: Wildcard): string {
  return 'literal' in item ? item.literal : '';
}

function namesOf(path: string): string[] {
  return path.split('/').filter((name) => name !== '' && name !== '.');
}
