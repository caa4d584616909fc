import type { ClientClock } from './client-clock.js';

/** A connection's own signal: it aborts with the caller's, and when nothing comes for too long. */
export class WatchedSignal {
  readonly #controller = new AbortController();
  readonly #follow: () => void;

  constructor(
    private readonly clock: ClientClock,
    private readonly stallMs: number,
    private readonly outer: AbortSignal | undefined,
  ) {
    this.#follow = () => this.#controller.abort(this.outer?.reason);
    if (outer?.aborted === true) this.#follow();
    // Taken off again: a signal may outlive a thousand connections.
    outer?.addEventListener('abort', this.#follow, { once: true });
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Aborts if it takes too long. Time between two waits is the caller's own. */
  async watch<T>(coming: Promise<T>): Promise<T> {
    const cancel = this.clock.after(this.stallMs, () => {
      this.#controller.abort(new Error(`Nothing came for ${this.stallMs} ms`));
    });
    try {
      return await coming;
    } finally {
      cancel();
    }
  }

  /** Ends the connection, if it is still there. */
  close(): void {
    this.outer?.removeEventListener('abort', this.#follow);
    this.#controller.abort();
  }
}
