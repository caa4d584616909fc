import { Semaphore } from 'async-mutex';

/** Before those that begin: who comes back has waited already. */
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
 * A turn's slot on its worker. While all it does is to wait for turns it started, others have the
 * slot: or a worker full of those who wait would keep away those who are waited for.
 */
export class WorkerSlot {
  /** Settles when the slot is given away for the first time. */
  readonly givenAway: Promise<void>;
  #resolveGivenAway = (): void => undefined;
  #release: (() => void) | undefined;
  #waiting = 0;
  #isLeft = false;

  constructor(private readonly slots: WorkerSlots) {
    this.givenAway = new Promise((resolve) => {
      this.#resolveGivenAway = resolve;
    });
  }

  async take(): Promise<void> {
    [, this.#release] = await this.slots.take();
  }

  /** Does what needs no slot. Others may do so beside it. */
  async without<T>(wait: () => Promise<T>): Promise<T> {
    this.#waiting += 1;
    if (this.#waiting === 1) {
      this.#giveBack();
      this.#resolveGivenAway();
    }
    try {
      return await wait();
    } finally {
      this.#waiting -= 1;
      if (this.#waiting === 0) await this.#comeBack();
    }
  }

  /** For good. */
  leave(): void {
    this.#isLeft = true;
    this.#giveBack();
  }

  #giveBack(): void {
    this.#release?.();
    this.#release = undefined;
  }

  async #comeBack(): Promise<void> {
    // A wait that nobody awaits any more may end after its turn.
    if (this.#isLeft) return;
    const [, release] = await this.slots.take(COMING_BACK);
    // One that waits again meanwhile has no use for it yet.
    if (this.#waiting > 0 || this.#release !== undefined || this.#isLeft) return release();
    this.#release = release;
  }
}
