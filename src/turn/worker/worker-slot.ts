import { Semaphore } from 'async-mutex';

/** Priority of turns that take their slot back: they come before those that begin. */
const COMING_BACK = 1;

/** The turns a worker runs at a time. */
export class WorkerSlots {
  readonly #slots: Semaphore;

  constructor(most: number) {
    this.#slots = new Semaphore(most);
  }

  take(priority = 0): Promise<[number, () => void]> {
    return this.#slots.acquire(1, priority);
  }
}

/**
 * A turn's slot on its worker. Other turns have the slot while the turn only waits for its subagents: a
 * worker full of parents that wait would have no slot for their subagents.
 */
export class WorkerSlot {
  /** Settles when the slot is given away for the first time. */
  readonly givenAway: Promise<void>;
  #resolveGivenAway = (): void => undefined;
  #release: (() => void) | undefined;
  #waits = 0;
  #isLeft = false;

  constructor(private readonly slots: WorkerSlots) {
    this.givenAway = new Promise((resolve) => {
      this.#resolveGivenAway = resolve;
    });
  }

  async take(): Promise<void> {
    [, this.#release] = await this.slots.take();
  }

  /** Gives the slot away until `wait` is over. Calls may overlap. */
  async without<T>(wait: () => Promise<T>): Promise<T> {
    this.#waits += 1;
    if (this.#waits === 1) {
      this.#giveBack();
      this.#resolveGivenAway();
    }
    try {
      return await wait();
    } finally {
      this.#waits -= 1;
      if (this.#waits === 0) await this.#comeBack();
    }
  }

  /** Gives the slot back for good. */
  leave(): void {
    this.#isLeft = true;
    this.#giveBack();
  }

  #giveBack(): void {
    this.#release?.();
    this.#release = undefined;
  }

  async #comeBack(): Promise<void> {
    // A wait may end after its turn.
    if (this.#isLeft) return;
    const [, release] = await this.slots.take(COMING_BACK);
    // The turn may wait again by now.
    if (this.#waits > 0 || this.#release !== undefined || this.#isLeft) return release();
    this.#release = release;
  }
}
