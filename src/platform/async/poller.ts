import type { Clock } from '../clock.js';

export interface PollerOptions {
  clock: Clock;
  /** Takes a failure of a look; the next one is made all the same. Absent: looks take their failures themselves. */
  onError?(error: unknown): void;
  /**
   * Milliseconds from the end of a look to the next.
   *
   * @param lookedAt when the look began. @returns undefined: there is no next look until one is asked for.
   */
  waitMs(lookedAt: number): number | undefined;
}

/**
 * Looks for something again and again, one look at a time. Work that a look has claimed runs beside later looks.
 * Any number of processes may look beside each other, where what they find is leased.
 */
export class Poller {
  #cancelTimer: (() => void) | undefined;
  #looking: Promise<void> = Promise.resolve();
  #isLooking = false;
  #isLookWanted = false;
  #isStopped = false;
  readonly #running = new Set<Promise<void>>();

  /** @param look what is done each time. */
  constructor(
    private readonly look: () => Promise<void>,
    private readonly options: PollerOptions,
  ) {}

  get isStopped(): boolean {
    return this.#isStopped;
  }

  /** The number of pieces of work that run. */
  get running(): number {
    return this.#running.size;
  }

  /** Looks now. While a look is under way, one more is remembered. */
  now(): void {
    if (this.#isStopped) return;
    this.#isLookWanted = true;
    if (!this.#isLooking) this.#looking = this.#lookAll();
  }

  /** Looks after a wait, unless a look is under way or to come. */
  later(): void {
    if (!this.#isLooking && this.#cancelTimer === undefined) this.#wait(this.options.clock.now());
  }

  /**
   * Runs work beside the looks, which takes its failures itself.
   *
   * @param thenLook whether a look follows its end: others may want the room that it leaves.
   */
  begin(work: Promise<void>, thenLook: boolean): void {
    const running = work.finally(() => {
      this.#running.delete(running);
      if (thenLook) this.now();
    });
    this.#running.add(running);
  }

  /** Begins nothing more. Resolves when the look under way has ended, and all work. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#cancelTimer?.();
    await this.#looking;
    await Promise.all(this.#running);
  }

  async #lookAll(): Promise<void> {
    const { clock, onError } = this.options;
    let lookedAt = clock.now();
    this.#isLooking = true;
    this.#cancelTimer?.();
    this.#cancelTimer = undefined;
    try {
      while (this.#isLookWanted && !this.#isStopped) {
        this.#isLookWanted = false;
        lookedAt = clock.now();
        await this.look();
      }
    } catch (error) {
      if (onError === undefined) throw error;
      onError(error);
    } finally {
      // In the same breath as the last check: a look that is asked for after it begins anew.
      this.#isLooking = false;
      this.#wait(lookedAt);
    }
  }

  #wait(lookedAt: number): void {
    const waitMs = this.#isStopped ? undefined : this.options.waitMs(lookedAt);
    if (waitMs === undefined) return;
    this.#cancelTimer = this.options.clock.after(Math.max(0, waitMs), () => {
      this.#cancelTimer = undefined;
      this.now();
    });
  }
}
