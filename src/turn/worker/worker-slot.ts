import { Semaphore } from 'async-mutex';

/** Priority of turns that take their slot back: they come before those that begin. */
const COMING_BACK = 1;

/** The turns a worker runs at a time. */
export class WorkerSlots {
  readonly #slots: Semaphore;

  constructor(most: number) {
    this.#slots = new Semaphore(most);
  }

  /** Resolves when a slot may be free. */
  untilFree(): Promise<void> {
    return this.#slots.waitForUnlock();
  }

  /** Takes the slots that are free, `most` of them, which may be none. */
  takeFree(most: number): Promise<WorkerSlot[]> {
    const free = Math.max(0, Math.min(most, this.#slots.getValue()));
    return Promise.all(Array.from({ length: free }, () => this.take()));
  }

  /** Takes a slot when one is free. */
  async take(): Promise<WorkerSlot> {
    const [, release] = await this.#slots.acquire();
    return new WorkerSlot(this, release);
  }

  /** Takes a slot back before all turns that begin. @returns gives it back again. */
  async takeBack(): Promise<() => void> {
    const [, release] = await this.#slots.acquire(1, COMING_BACK);
    return release;
  }
}

/**
 * A turn's slot on its worker. Other turns have the slot while the turn only waits for its subagents: a
 * worker full of parents that wait would have no slot for their subagents.
 */
export class WorkerSlot {
  #release: (() => void) | undefined;
  #waits = 0;
  #isLeft = false;

  constructor(
    private readonly slots: Pick<WorkerSlots, 'takeBack'>,
    release: () => void,
  ) {
    this.#release = release;
  }

  /** Gives the slot away until `wait` is over. Calls may overlap. */
  async releaseWhile<T>(wait: () => Promise<T>): Promise<T> {
    this.#waits += 1;
    if (this.#waits === 1) this.#giveBack();
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
    const release = await this.slots.takeBack();
    // The turn may wait again by now.
    if (this.#waits > 0 || this.#release !== undefined || this.#isLeft) return release();
    this.#release = release;
  }
}
