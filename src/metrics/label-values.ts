/** Stands for the values past the limit. */
const OTHER = 'other';

/**
 * Bounds the values of a label: each value is a time series of its own, for as long as the process lives, and
 * some values are chosen by clients or models.
 */
export class LabelValues {
  readonly #known = new Set<string>();

  /** @param most values that are kept apart; later ones are `other`. */
  constructor(private readonly most: number) {}

  of(value: string): string {
    if (this.#known.has(value)) return value;
    if (this.#known.size >= this.most) return OTHER;
    this.#known.add(value);
    return value;
  }
}
