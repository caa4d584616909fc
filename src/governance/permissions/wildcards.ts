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
