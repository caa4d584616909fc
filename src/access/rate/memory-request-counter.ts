import { RateLimiterMemory } from 'rate-limiter-flexible';
import { COUNT_MS, type Count, type RequestCounter } from '../request-counter.js';

/** Counts in this process. */
export class MemoryRequestCounter implements RequestCounter {
  // Each key has a limit of its own: the count is compared by who asks.
  readonly #limiter = new RateLimiterMemory({
    points: Number.MAX_SAFE_INTEGER,
    duration: COUNT_MS / 1_000,
  });

  async count(principalId: string): Promise<Count> {
    const { consumedPoints, msBeforeNext } = await this.#limiter.consume(principalId);
    return { requests: consumedPoints, restMs: msBeforeNext };
  }
}
