/** Open resources, closed in the opposite order: at the end, or when the next one fails to open. */
export class ResourceStack {
  readonly #closes: (() => Promise<unknown>)[] = [];

  /** Adds a resource. @returns it when it is open. */
  async add<T>(open: Promise<T>, close: (opened: T) => Promise<unknown>): Promise<T> {
    const opened = await open;
    this.#closes.push(() => close(opened));
    return opened;
  }

  /** Closes all resources, also after a failure. @throws the first failure. */
  async close(): Promise<void> {
    const failures: unknown[] = [];
    for (const close of this.#closes.splice(0).reverse()) {
      await close().catch((error: unknown) => failures.push(error));
    }
    if (failures.length > 0) throw failures[0];
  }

  /** Runs work, and closes all resources when it fails. */
  async orClose<T>(work: (opened: this) => Promise<T>): Promise<T> {
    try {
      return await work(this);
    } catch (error) {
      await this.close();
      throw error;
    }
  }
}
