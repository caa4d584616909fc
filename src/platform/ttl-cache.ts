import type { Clock } from './clock.js';

/**
 * Remembers what a question was answered, for a while: many who ask at once cost one answer. A
 * failure is told to those who wait for it, and not remembered.
 */
export class TtlCache<T> {
  readonly #answers = new Map<string, { until: number; answer: Promise<T> }>();

  /** @param ms how long; 0: not at all. */
  constructor(
    private readonly clock: Clock,
    private readonly ms: number,
  ) {}

  ask(question: string, find: () => Promise<T>): Promise<T> {
    if (this.ms === 0) return find();
    const now = this.clock.now();
    const known = this.#answers.get(question);
    if (known !== undefined && known.until > now) return known.answer;
    this.#forget(now);
    const answer = find();
    this.#answers.set(question, { until: now + this.ms, answer });
    answer.catch(() => this.#answers.delete(question));
    return answer;
  }

  #forget(now: number): void {
    for (const [question, { until }] of this.#answers) {
      if (until > now) return;
      this.#answers.delete(question);
    }
  }
}
