import type { Clock } from '../clock.js';

/**
 * A cache of values that expire. Callers that ask for a key at once share one load. A failure rejects
 * them all, and is not cached.
 */
export class TtlCache<T> {
  readonly #entries = new Map<string, { until: number; value: Promise<T> }>();

  /** @param ms the TTL; 0: nothing is cached. */
  constructor(
    private readonly clock: Clock,
    private readonly ms: number,
  ) {}

  get(key: string, load: () => Promise<T>): Promise<T> {
    if (this.ms === 0) return load();
    const now = this.clock.now();
    const known = this.#entries.get(key);
    if (known !== undefined && known.until > now) return known.value;
    this.#deleteExpired(now);
    const value = load();
    this.#entries.set(key, { until: now + this.ms, value });
    value.catch(() => this.#entries.delete(key));
    return value;
  }

  /** Drops the value of a key, which is loaded when it is asked for next. */
  delete(key: string): void {
    this.#entries.delete(key);
  }

  #deleteExpired(now: number): void {
    for (const [key, { until }] of this.#entries) {
      if (until > now) return;
      this.#entries.delete(key);
    }
  }
}
