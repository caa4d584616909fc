/** Open resources, closed in the opposite order: at the end, or when the next one fails to open. */
export class ResourceStack {
  readonly #closes: (() => Promise<unknown>)[] = [];
  #isClosed = false;

  /**
   * Adds a resource. One that opens after the stack was closed is closed at once: of several that open
   * side by side, the first may have failed.
   *
   * @returns it when it is open. @throws Error when the stack was closed meanwhile.
   */
  async add<T>(open: Promise<T>, close: (opened: T) => Promise<unknown>): Promise<T> {
    const opened = await open;
    if (this.#isClosed) {
      await close(opened);
      throw new Error('Another resource failed to open');
    }
    this.#closes.push(() => close(opened));
    return opened;
  }

  /** Closes all resources, also after a failure. @throws the first failure. */
  async close(): Promise<void> {
    this.#isClosed = true;
    const failures: unknown[] = [];
    for (const close of this.#closes.splice(0).reverse()) {
      await close().catch((error: unknown) => failures.push(error));
    }
    if (failures.length > 0) throw failures[0];
  }

  /**
   * Runs work, and closes all resources when it fails.
   *
   * @throws what the work threw. What fails to close after that is left unsaid: it would hide the reason.
   */
  async orClose<T>(work: (opened: this) => Promise<T>): Promise<T> {
    try {
      return await work(this);
    } catch (error) {
      await this.close().catch(() => undefined);
      throw error;
    }
  }
}
