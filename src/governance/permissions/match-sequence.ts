/** A pattern over items: a plain item matches one value, a star any number of values. */
export interface SequencePattern<P> {
  items: readonly P[];
  isStar(item: P): boolean;
}

/**
 * Whether a pattern matches a whole sequence. A star takes as little as possible, and only the last
 * star is reconsidered: the time is bounded by the product of the lengths, whatever the pattern.
 */
export function matchSequence<P, T>(
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
