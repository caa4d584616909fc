import type { Clock } from '../platform/clock.js';

/** How long other turns begin with another model after a failure, in ms; twice as long after each further one. */
const FIRST_MS = 30_000;
const MOST_MS = 300_000;

/**
 * The models that did not answer a moment ago, as this process saw it. One turn at a time tries such a model again: that
 * one person's request made it fail must not keep others from it for long.
 */
export class ModelOutages {
  readonly #out = new Map<string, { failures: number; until: number; isTried: boolean }>();

  constructor(private readonly clock: Pick<Clock, 'now'>) {}

  failed(model: string): void {
    const out = this.#out.get(model);
    const now = this.clock.now();
    // Calls that were under way when it went out say nothing more.
    if (out !== undefined && !out.isTried && now < out.until) return;
    const failures = (out?.failures ?? 0) + 1;
    const outMs = Math.min(MOST_MS, FIRST_MS * 2 ** (failures - 1));
    this.#out.set(model, { failures, until: now + outMs, isTried: false });
  }

  answered(model: string): void {
    this.#out.delete(model);
  }

  /** @returns false where the caller is to try the model, and for a model that answers. */
  isOut(model: string): boolean {
    const out = this.#out.get(model);
    if (out === undefined) return false;
    const now = this.clock.now();
    if (now < out.until) return true;
    out.until = now + FIRST_MS;
    out.isTried = true;
    return false;
  }
}
