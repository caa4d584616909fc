/** Keeps items, and resolves when there are enough. */
export class Recorder<T> {
  readonly items: T[] = [];
  #waiters: { count: number; resolve: () => void }[] = [];

  readonly take = (...items: readonly T[]): void => {
    this.items.push(...items);
    const enough = this.#waiters.filter(({ count }) => this.items.length >= count);
    this.#waiters = this.#waiters.filter((waiter) => !enough.includes(waiter));
    for (const { resolve } of enough) resolve();
  };

  /** Resolves as soon as there are `count` items. */
  async count(count: number): Promise<void> {
    if (this.items.length >= count) return;
    await new Promise<void>((resolve) => this.#waiters.push({ count, resolve }));
  }
}
