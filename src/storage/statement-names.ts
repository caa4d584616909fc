/** Most statements that stay prepared. */
const MOST_NAMES = 200;

/**
 * Names of statements that are prepared: those whose text comes a second time. The query builder gives a
 * statement the same text each time.
 */
export class StatementNames {
  readonly #names = new Map<string, string | undefined>();

  /** @returns undefined for a text that is seen for the first time, or is one too many. */
  nameOf(text: string): string | undefined {
    if (!this.#names.has(text)) {
      if (this.#names.size < MOST_NAMES) this.#names.set(text, undefined);
      return undefined;
    }
    const name = this.#names.get(text) ?? `turnpike_${[...this.#names.keys()].indexOf(text)}`;
    this.#names.set(text, name);
    return name;
  }
}
