/** Most items that go together. */
const MAX_BATCH = 64;

interface Waiting<Item, Result> {
  item: Item;
  resolve(result: Result): void;
  reject(error: unknown): void;
}

/**
 * Does together what waits: while one run is under way, items wait for the next. Nothing waits for a
 * timer. A batch that fails is done again one by one, so that one bad item fails alone.
 */
export class Batcher<Item, Result> {
  #waiting: Waiting<Item, Result>[] = [];
  #isRunning = false;

  /**
   * @param run does a batch, and answers for each item in the same order: an error rejects its item alone.
   * @param isForAll whether a failure would be the same for each item alone.
   */
  constructor(
    private readonly run: (items: readonly Item[]) => Promise<readonly (Result | Error)[]>,
    private readonly isForAll: (error: unknown) => boolean,
  ) {}

  add(item: Item): Promise<Result> {
    return new Promise<Result>((resolve, reject) => {
      this.#waiting.push({ item, resolve, reject });
      if (!this.#isRunning) this.#runSoon();
    });
  }

  /** Items of one turn of the event loop go together. */
  #runSoon(): void {
    this.#isRunning = true;
    setImmediate(() => void this.#runNext());
  }

  async #runNext(): Promise<void> {
    await this.#runBatch(this.#waiting.splice(0, MAX_BATCH));
    this.#isRunning = false;
    if (this.#waiting.length > 0) this.#runSoon();
  }

  async #runBatch(batch: readonly Waiting<Item, Result>[]): Promise<void> {
    try {
      const results = await this.run(batch.map(({ item }) => item));
      for (const [index, { resolve, reject }] of batch.entries()) {
        const result = results[index] as Result | Error;
        if (result instanceof Error) reject(result);
        else resolve(result);
      }
    } catch (error) {
      if (batch.length > 1 && !this.isForAll(error)) {
        for (const one of batch) await this.#runBatch([one]);
      } else {
        for (const { reject } of batch) reject(error);
      }
    }
  }
}

/**
 * Spreads work over cycles of the event loop: of the pieces that become ready together, at most
 * `most` are done in one cycle, so that timers and sockets have their share.
 */
export class LoopShare {
  readonly #pending: (() => void)[] = [];
  #left: number;
  #isScheduled = false;

  constructor(private readonly most: number) {
    this.#left = most;
  }

  /** Resolves when the next piece may be done, in the order of the calls. */
  async next(): Promise<void> {
    this.#schedule();
    if (this.#left > 0) {
      this.#left -= 1;
      return;
    }
    await new Promise<void>((resolve) => this.#pending.push(resolve));
  }

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(() => {
      this.#isScheduled = false;
      const next = this.#pending.splice(0, this.most);
      this.#left = this.most - next.length;
      if (this.#pending.length > 0 || next.length > 0) this.#schedule();
      for (const resume of next) resume();
    });
  }
}
