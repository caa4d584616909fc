import type { CancelReason } from '../../storage/shapes/stored-turn.js';

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
