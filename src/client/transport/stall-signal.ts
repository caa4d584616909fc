import type { ClientClock } from './client-clock.js';

/** A connection's signal: aborts with the caller's, and when a guarded wait takes `stallMs`. */
export class StallSignal {
  readonly #controller = new AbortController();
  readonly #follow: () => void;

  constructor(
    private readonly clock: ClientClock,
    private readonly stallMs: number,
    private readonly outer: AbortSignal | undefined,
  ) {
    this.#follow = () => this.#controller.abort(this.outer?.reason);
    if (outer?.aborted === true) this.#follow();
    // `close` removes the listener: the caller's signal may outlive a thousand connections.
    outer?.addEventListener('abort', this.#follow, { once: true });
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Aborts when `coming` takes longer than `stallMs`. Time between two calls does not count. */
  async guard<T>(coming: Promise<T>): Promise<T> {
    const cancel = this.clock.after(this.stallMs, () => {
      this.#controller.abort(new Error(`Nothing came for ${this.stallMs} ms`));
    });
    try {
      return await coming;
    } finally {
      cancel();
    }
  }

  /** Ends the connection. */
  close(): void {
    this.outer?.removeEventListener('abort', this.#follow);
    this.#controller.abort();
  }
}
