import { isDeepStrictEqual } from 'node:util';

/** Keeps items, and resolves when there are enough. */
export class Recorder<T> {
  readonly items: T[] = [];
  #waiters: { isEnough: () => boolean; resolve: () => void }[] = [];

  readonly take = (...items: readonly T[]): void => {
    this.items.push(...items);
    const enough = this.#waiters.filter(({ isEnough }) => isEnough());
    this.#waiters = this.#waiters.filter((waiter) => !enough.includes(waiter));
    for (const { resolve } of enough) resolve();
  };

  /** Resolves as soon as there are `count` items. */
  count(count: number): Promise<void> {
    return this.#until(() => this.items.length >= count);
  }

  /** Resolves as soon as there is an item that is equal. */
  has(item: T): Promise<void> {
    return this.#until(() => this.items.some((kept) => isDeepStrictEqual(kept, item)));
  }

  async #until(isEnough: () => boolean): Promise<void> {
    if (isEnough()) return;
    await new Promise<void>((resolve) => this.#waiters.push({ isEnough, resolve }));
  }
}
