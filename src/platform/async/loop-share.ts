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
