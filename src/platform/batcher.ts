import { setImmediate as nextTurn } from 'node:timers/promises';

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
    if (!this.#isRunning) void this.#runAll();
    return result;
  }

  async #runAll(): Promise<void> {
    this.#isRunning = true;
    while (this.#waiting.length > 0) {
      // The embedded engine blocks the event loop: what one turn of the loop asks for goes together.
      await nextTurn();
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
