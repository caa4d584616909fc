/** Time after which first plans are made anew, in ms; later plans last twice as long each time. */
const FIRST_MS = 1_000;
/** Longest time for which plans are kept, in ms. */
const MOST_MS = 60_000;

/**
 * The age of a connection's plans of prepared statements. A plan that was made when tables were small reads them
 * as a whole. A server keeps it until it has collected statistics, a minute later at best, and the embedded engine
 * collects none. New tables grow fastest, so plans are made anew after a second, after two more, after four, and
 * each minute in the end.
 */
export class PlanAge {
  #since: number;
  #lastMs = FIRST_MS;

  /** @param now milliseconds of a clock that is never set back. */
  constructor(private readonly now: () => number) {
    this.#since = now();
  }

  /** Whether plans are to be made anew; the age begins again then. */
  isOver(): boolean {
    if (this.now() - this.#since < this.#lastMs) return false;
    this.#since = this.now();
    this.#lastMs = Math.min(this.#lastMs * 2, MOST_MS);
    return true;
  }
}
