/** What was opened so far, to be closed in the opposite order: at the end, or when the rest fails. */
export class ResourceStack {
  readonly #closes: (() => Promise<unknown>)[] = [];

  /** @returns what `open` gives; it is closed with the others. */
  async add<T>(open: Promise<T>, close: (opened: T) => Promise<unknown>): Promise<T> {
    const opened = await open;
    this.#closes.push(() => close(opened));
    return opened;
  }

  /** Closes everything, also what comes after one that fails. @throws the first failure. */
  async close(): Promise<void> {
    const failures: unknown[] = [];
    for (const close of this.#closes.splice(0).reverse()) {
      await close().catch((error: unknown) => failures.push(error));
    }
    if (failures.length > 0) throw failures[0];
  }

  /** Runs `work`; closes everything when it fails. */
  async orClose<T>(work: (opened: this) => Promise<T>): Promise<T> {
    try {
      return await work(this);
    } catch (error) {
      await this.close();
      throw error;
    }
  }
}
