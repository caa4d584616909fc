/** Most start positions tried in a text; beyond them a pattern counts as matching. */
const MAX_STARTS = 100;

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
    if (tried > MAX_STARTS || fits(text.slice(at))) return true;
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

/** A pattern over items: a plain item matches one value, a star any number of values. */
export interface SequencePattern<P> {
  items: readonly P[];
  isStar(item: P): boolean;
}

/**
 * Whether a pattern matches a whole sequence. A star takes as little as possible, and only the last
 * star is reconsidered: the time is bounded by the product of the lengths, whatever the pattern.
 */
function matchSequence<P, T>(
  { items, isStar }: SequencePattern<P>,
  sequence: ArrayLike<T>,
  fits: (item: P, value: T) => boolean,
): boolean {
  let at = 0;
  let star: { next: number; from: number } | undefined;
  let index = 0;
  while (index < sequence.length) {
    const item = items[at];
    const value = sequence[index];
    if (item !== undefined && isStar(item)) {
      at += 1;
      star = { next: at, from: index };
    } else if (item !== undefined && value !== undefined && fits(item, value)) {
      at += 1;
      index += 1;
    } else if (star !== undefined) {
      star.from += 1;
      [at, index] = [star.next, star.from];
    } else {
      return false;
    }
  }
  return items.slice(at).every(isStar);
}

/** An item of a pattern: a literal character, a matching character, or any number of characters. */
export type Wildcard = { literal: string } | { fits(character: string): boolean } | { any: 'many' };

/** The part of a pattern between two stars. */
interface Piece {
  length: number;
  fitsAt(text: string, at: number): boolean;
  /** The first match in `text` at or after `from` that ends by `end`; -1: none. */
  find(text: string, from: number, end: number): number;
}

/**
 * Matches a whole text. Each piece between stars takes its first match, and none is reconsidered.
 * The time is linear in the lengths of pattern and text for literal pieces; a piece with
 * single-character wildcards takes at most the product of its length and the text's.
 */
export function wildcardMatcher(pattern: readonly Wildcard[]): (text: string) => boolean {
  const pieces = splitAtStars(pattern).map(toPiece);
  const least = pieces.reduce((sum, { length }) => sum + length, 0);
  const [first, ...rest] = pieces;
  const last = rest.pop();
  if (first === undefined) return (text) => text === '';
  if (last === undefined) return (text) => text.length === least && first.fitsAt(text, 0);
  return (text) => {
    const end = text.length - last.length;
    if (text.length < least || !first.fitsAt(text, 0) || !last.fitsAt(text, end)) return false;
    let at = first.length;
    for (const piece of rest) {
      const found = piece.find(text, at, end);
      if (found === -1) return false;
      at = found + piece.length;
    }
    return true;
  };
}

type One = Exclude<Wildcard, { any: 'many' }>;

/** Adjacent stars have no piece between them. */
function splitAtStars(pattern: readonly Wildcard[]): One[][] {
  const pieces: One[][] = [[]];
  for (const item of pattern) {
    if ('any' in item) pieces.push([]);
    else pieces.at(-1)?.push(item);
  }
  return pieces.filter((piece, index) => {
    return piece.length > 0 || index === 0 || index === pieces.length - 1;
  });
}

function toPiece(items: readonly One[]): Piece {
  const text = items.map((item) => ('literal' in item ? item.literal : '')).join('');
  return items.every((item) => 'literal' in item) ? literalPiece(text) : openPiece(items);
}

/** Knuth-Morris-Pratt search: no character of the text is compared twice after a mismatch. */
function literalPiece(piece: string): Piece {
  const borders = bordersOf(piece);
  return {
    length: piece.length,
    fitsAt: (text, at) => text.startsWith(piece, at),
    find: (text, from, end) => {
      let matched = 0;
      for (let index = from; index < end; index += 1) {
        const code = text.charCodeAt(index);
        while (matched > 0 && piece.charCodeAt(matched) !== code)
          matched = borders[matched - 1] ?? 0;
        if (piece.charCodeAt(matched) === code) matched += 1;
        if (matched === piece.length) return index + 1 - matched;
      }
      return -1;
    },
  };
}

/**
 * The KMP failure table: for each prefix, the length of its longest proper prefix that is also a
 * suffix.
 */
function bordersOf(piece: string): number[] {
  const borders = [0];
  let border = 0;
  for (let index = 1; index < piece.length; index += 1) {
    const code = piece.charCodeAt(index);
    while (border > 0 && piece.charCodeAt(border) !== code) border = borders[border - 1] ?? 0;
    if (piece.charCodeAt(border) === code) border += 1;
    borders.push(border);
  }
  return borders;
}

function openPiece(items: readonly One[]): Piece {
  const fitsAt = (text: string, at: number): boolean =>
    items.every((item, index) => {
      const character = text.charAt(at + index);
      return 'literal' in item ? item.literal === character : item.fits(character);
    });
  return {
    length: items.length,
    fitsAt,
    find: (text, from, end) => {
      for (let at = from; at + items.length <= end; at += 1) if (fitsAt(text, at)) return at;
      return -1;
    },
  };
}
