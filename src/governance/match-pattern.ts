import { matchSequence } from './match-sequence.js';
import { wildcardMatcher, type Wildcard } from './wildcards.js';

export type Matcher = (text: string) => boolean;

/** Whether a text fits a pattern: `*` is any characters, `\` takes the next one as it is. */
export function textMatcher(pattern: string): Matcher {
  return wildcardMatcher(wildcards(pattern, '*'));
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

function namesOf(path: string): string[] {
  return path.split('/').filter((name) => name !== '' && name !== '.');
}
