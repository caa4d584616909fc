import { matchSequence } from './match-sequence.js';

/** One character, or what stands for some. */
type Token = { literal: string } | { any: 'one' | 'many' };

export type Matcher = (text: string) => boolean;

/** Whether a text fits a pattern: `*` is any characters, `\` takes the next one as it is. */
export function textMatcher(pattern: string): Matcher {
  const items = tokens(pattern, '*');
  return (text) => matchTokens(items, text);
}

export function matchText(pattern: string, text: string): boolean {
  return textMatcher(pattern)(text);
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
    tokens: tokens(name, '*?'),
  }));
  const isBelow = (path: string): boolean =>
    matchSequence({ items, isStar: ({ isStar }) => isStar }, namesOf(path), (item, name) =>
      matchTokens(item.tokens, name),
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

/** The one text a pattern fits, or undefined when it may fit several. */
export function onlyFit(pattern: string): string | undefined {
  const all = tokens(pattern, '*');
  return all.some((token) => 'any' in token)
    ? undefined
    : all.map((token) => ('literal' in token ? token.literal : '')).join('');
}

/** The pattern that fits this text and no other. */
export function patternOf(text: string): string {
  return text.replaceAll(/[\\*?]/g, String.raw`\$&`);
}

function matchTokens(items: readonly Token[], text: string): boolean {
  return matchSequence(
    { items, isStar: (token) => 'any' in token && token.any === 'many' },
    text,
    (token, character) => 'any' in token || token.literal === character,
  );
}

/** @param special which of `*` and `?` stand for others. */
function tokens(pattern: string, special: string): Token[] {
  const found: Token[] = [];
  for (let index = 0; index < pattern.length; index += 1) {
    const character = pattern.charAt(index);
    if (character === '\\' && index + 1 < pattern.length) {
      index += 1;
      found.push({ literal: pattern.charAt(index) });
    } else if (special.includes(character)) {
      found.push({ any: character === '*' ? 'many' : 'one' });
    } else {
      found.push({ literal: character });
    }
  }
  return found;
}

function namesOf(path: string): string[] {
  return path.split('/').filter((name) => name !== '' && name !== '.');
}
