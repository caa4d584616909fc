import type { CancelReason } from '../../storage/shapes/stored-turn.js';
import type { Clock } from '../../platform/clock.js';

/**
 * The reason why a worker stops with a turn. `lost` and `shutdown`: another attempt ends the turn,
 * this one writes nothing.
 */
export type LeaseEnd = 'finished' | CancelReason | 'deadline' | 'lost' | 'shutdown';

export class LeaseEndedError extends Error {
  constructor(readonly reason: LeaseEnd) {
    super(`The turn's lease ended: ${reason}`);
    this.name = 'LeaseEndedError';
  }
}

/** Made once: most turns end with it, and nobody reads where it was made. */
const finished = new LeaseEndedError('finished');

/** A worker's claim on a turn: one signal, and one reason why it ended. The first reason wins. */
export class Lease {
  readonly #controller = new AbortController();
  #reason: LeaseEnd | undefined;

  /** Messages steered into the turn, as far as its worker knows. */
  steered = 0;

  /** The attempt has stored something that no later one does again. */
  onProgress = (): void => undefined;

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  get reason(): LeaseEnd | undefined {
    return this.#reason;
  }

  end(reason: LeaseEnd): void {
    if (this.#reason !== undefined) return;
    this.#reason = reason;
    this.#controller.abort(reason === 'finished' ? finished : new LeaseEndedError(reason));
  }
}

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
