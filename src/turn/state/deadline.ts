import type { Clock } from '../../platform/clock.js';

/** A turn's own time. The clock stands still while the turn waits for people. */
export class Deadline {
  #leftMs: number;
  #since: number;
  #pauses = 0;
  #cancelTimer = (): void => undefined;

  constructor(
    private readonly clock: Clock,
    leftMs: number,
    private readonly onOver: () => void,
  ) {
    this.#leftMs = Math.max(0, leftMs);
    this.#since = clock.now();
    this.#run();
  }

  /** Milliseconds that are left. */
  get leftMs(): number {
    const ran = this.#pauses > 0 ? 0 : this.clock.now() - this.#since;
    return Math.max(0, this.#leftMs - ran);
  }

  /** Stops the clock until every pause has its `resume`. */
  pause(): void {
    if (this.#pauses === 0) {
      this.#leftMs = this.leftMs;
      this.#since = this.clock.now();
      this.#cancelTimer();
    }
    this.#pauses += 1;
  }

  /** @returns for how long the clock stood still, in ms; 0 while another pause lasts. */
  resume(): number {
    this.#pauses -= 1;
    if (this.#pauses > 0) return 0;
    const stood = this.clock.now() - this.#since;
    this.#since = this.clock.now();
    this.#run();
    return stood;
  }

  stop(): void {
    this.#cancelTimer();
  }

  #run(): void {
    this.#cancelTimer = this.clock.after(this.#leftMs, this.onOver);
  }
}
