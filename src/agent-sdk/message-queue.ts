/** What was pushed, for one reader: in order, then the end or the error. The writer waits for nobody. */
export class MessageQueue<Item> {
  readonly #items: Item[] = [];
  #end: { error?: unknown } | undefined;
  #wake: () => void = () => undefined;

  push(item: Item): void {
    this.#items.push(item);
    this.#wake();
  }

  /** Nothing more comes. */
  end(): void {
    this.#end ??= {};
    this.#wake();
  }

  /** Nothing more comes; the reader is thrown the error after what came before. */
  fail(error: unknown): void {
    this.#end ??= { error };
    this.#wake();
  }

  /** @throws the error of `fail`. */
  async *read(): AsyncGenerator<Item, void, undefined> {
    while (true) {
      const item = this.#items.shift();
      if (item !== undefined) {
        yield item;
        continue;
      }
      if (this.#end !== undefined) break;
      await new Promise<void>((resolve) => (this.#wake = resolve));
    }
    if ('error' in this.#end) throw this.#end.error;
  }
}
