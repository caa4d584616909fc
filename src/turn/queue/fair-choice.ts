import type { Choice } from './choose-fairly.js';

interface Asking {
  resolve(turnId: string | undefined): void;
  reject(error: unknown): void;
}

/**
 * Chooses turns for the handlers of one process, each turn for one handler. Handlers that ask while
 * a choice is under way share the next: a burst of handlers costs two queries and no lost claim.
 */
export class FairChoice {
  readonly #taken = new Set<string>();
  #asking: Asking[] = [];
  #isChoosing = false;

  constructor(private readonly choose: (choice: Choice) => Promise<string[]>) {}

  /** The turn to claim next; undefined when none waits. `done` is to be called with it. */
  next(): Promise<string | undefined> {
    const answer = new Promise<string | undefined>((resolve, reject) => {
      this.#asking.push({ resolve, reject });
    });
    if (!this.#isChoosing) void this.#serve();
    return answer;
  }

  /** The turn's row shows from here on whether it waits. */
  done(turnId: string): void {
    this.#taken.delete(turnId);
  }

  async #serve(): Promise<void> {
    this.#isChoosing = true;
    while (this.#asking.length > 0) {
      const asking = this.#asking.splice(0);
      try {
        const chosen = await this.choose({ most: asking.length, taken: [...this.#taken] });
        for (const turnId of chosen) this.#taken.add(turnId);
        for (const [index, { resolve }] of asking.entries()) resolve(chosen[index]);
      } catch (error) {
        for (const { reject } of asking) reject(error);
      }
    }
    this.#isChoosing = false;
  }
}
