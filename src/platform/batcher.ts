/** Most items that go together. */
const MOST_TOGETHER = 64;

/**
 * Does together what waits: while one run is under way, items wait for the next. Nothing waits for a
 * timer, and an item alone goes at once.
 */
export class Batcher<Item, Result> {
  #waiting: { item: Item; resolve(result: Result): void; reject(error: unknown): void }[] = [];
  #isRunning = false;

  /** @param run does a batch, and answers for each item in the same order; what it throws is for all. */
  constructor(private readonly run: (items: readonly Item[]) => Promise<readonly Result[]>) {}

  add(item: Item): Promise<Result> {
    const result = new Promise<Result>((resolve, reject) => {
      this.#waiting.push({ item, resolve, reject });
    });
    if (!this.#isRunning) {
      this.#isRunning = true;
      // Items of the same tick go together.
      queueMicrotask(() => void this.#runAll());
    }
    return result;
  }

  async #runAll(): Promise<void> {
    while (this.#waiting.length > 0) {
      const batch = this.#waiting.splice(0, MOST_TOGETHER);
      try {
        const results = await this.run(batch.map(({ item }) => item));
        for (const [index, { resolve }] of batch.entries()) resolve(results[index] as Result);
      } catch (error) {
        for (const { reject } of batch) reject(error);
      }
    }
    this.#isRunning = false;
  }
}
