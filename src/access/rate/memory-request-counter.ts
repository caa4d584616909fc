import { RateLimiterMemory } from 'rate-limiter-flexible';
import { COUNT_MS, type Count, type RequestCounter } from '../request-counter.js';

/** Counts requests in this process. */
export class MemoryRequestCounter implements RequestCounter {
  // Limits differ by key, and the caller compares: the limiter itself never refuses.
  readonly #limiter = new RateLimiterMemory({
    points: Number.MAX_SAFE_INTEGER,
    duration: COUNT_MS / 1_000,
  });

  async count(principalId: string): Promise<Count> {
    const { consumedPoints, msBeforeNext } = await this.#limiter.consume(principalId);
    return { requests: consumedPoints, restMs: msBeforeNext };
  }

  async forget(principalId: string): Promise<void> {
    await this.#limiter.delete(principalId);
  }
}
