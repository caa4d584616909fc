import { matchSequence } from './match-sequence.js';
import { wildcardMatcher, type Wildcard } from './wildcards.js';

/** Places of a text that a pattern is compared from; where there are more, it may fit one of them. */
const MOST_STARTS = 100;

export type Matcher = (text: string) => boolean;

/** Whether a text fits a pattern: `*` is any characters, `\` takes the next one as it is. */
export function textMatcher(pattern: string): Matcher {
  return wildcardMatcher(wildcards(pattern, '*'));
}

export function matchText(pattern: string, text: string): boolean {
  return textMatcher(pattern)(text);
}

/** Of commands: a pattern that ends in ` *` fits the program without arguments, too. */
export function commandMatcher(pattern: string): Matcher {
  const fits = textMatcher(pattern);
  if (!/[^\\] \*$/.test(pattern)) return fits;
  const bare = textMatcher(pattern.slice(0, -2));
  return (text) => fits(text) || bare(text);
}

/**
 * Whether a path fits a pattern: `*` and `?` are any characters and any one of a name, `**` is any
 * folders, also none. Names that begin with a dot are names like others. A pattern that begins with
 * `/` is about the absolute path, any other about the path below one of `roots`.
 *
 * Paths are absolute and normalised, as `roots` are.
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

/** The path from `root`, or undefined when `path` is not below it. */
export function pathBelow(root: string, path: string): string | undefined {
  const folder = root.endsWith('/') ? root : `${root}/`;
  return path.startsWith(folder) ? path.slice(folder.length) : undefined;
}

/**
 * Whether some text fits a pattern and is, at the same time, what a text with holes may become: each
 * `hole` in it is any characters.
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
  // Both go on as they like after what they begin with, up to what they end with.
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
 * Whether a pattern fits words from one of them to the end, the first with or without its folder.
 * One that begins with `*` is compared with all of them alone.
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

/** The one text a pattern fits, or undefined when it may fit several. */
export function onlyFit(pattern: string): string | undefined {
  const all = wildcards(pattern, '*');
  return all.every((item) => 'literal' in item)
    ? all.map(({ literal }) => literal).join('')
    : undefined;
}

/** The pattern that fits this text and no other. */
export function patternOf(text: string): string {
  return text.replaceAll(/[\\*?]/g, String.raw`\$&`);
}

/** @param special which of `*` and `?` stand for others. */
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
