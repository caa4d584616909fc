import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import type { Clock } from '../../src/platform/clock.js';

/** Time that moves when the test advances it. */
export class ManualClock implements Clock {
  #now: number;
  #timers: { at: number; callback: () => void }[] = [];

  constructor(now = Date.parse('2026-01-01T00:00:00Z')) {
    this.#now = now;
  }

  now(): number {
    return this.#now;
  }

  after(delayMs: number, callback: () => void): () => void {
    const timer = { at: this.#now + delayMs, callback };
    this.#timers.push(timer);
    return () => {
      this.#timers = this.#timers.filter((other) => other !== timer);
    };
  }

  get pending(): number {
    return this.#timers.length;
  }

  /** Advances by `ms`; due callbacks run in order, and their promises settle in between. */
  async advance(ms: number): Promise<void> {
    const until = this.#now + ms;
    for (;;) {
      const [due] = this.#timers.filter(({ at }) => at <= until).sort((a, b) => a.at - b.at);
      if (due === undefined) break;
      this.#timers = this.#timers.filter((timer) => timer !== due);
      this.#now = due.at;
      due.callback();
      await yieldToEventLoop();
    }
    this.#now = until;
    await yieldToEventLoop();
  }
}
