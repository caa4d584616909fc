/**
 * Spreads work over turns of the event loop: of pieces that become ready together, at most `most`
 * are done in one turn, and whoever else waits for the loop comes in between.
 */
export class LoopShare {
  readonly #waiting: (() => void)[] = [];
  #left: number;
  #isScheduled = false;

  constructor(private readonly most: number) {
    this.#left = most;
  }

  /** Resolves when the next piece may be done; in the order asked. */
  async turn(): Promise<void> {
    this.#schedule();
    if (this.#left > 0) {
      this.#left -= 1;
      return;
    }
    await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(() => {
      this.#isScheduled = false;
      const next = this.#waiting.splice(0, this.most);
      this.#left = this.most - next.length;
      if (this.#waiting.length > 0 || next.length > 0) this.#schedule();
      for (const go of next) go();
    });
  }
}
