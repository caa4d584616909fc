import { RateLimiterMemory, RateLimiterRedis } from 'rate-limiter-flexible';
import { untilAborted } from '../../platform/async/deadlines.js';
import type { RedisClient } from '../../storage/redis/redis-connection.js';
import { COUNT_MS, type Count, type RequestCounter } from './request-rate.js';

/** Timeout of a count in Redis, in ms. */
const COUNT_TIMEOUT_MS = 250;

/**
 * Counts in Redis, for all processes together. While Redis does not answer, each process counts
 * alone: a limit is then multiplied by the number of processes, and requests are served.
 */
export class RedisRequestCounter implements RequestCounter {
  readonly #alone = new RateLimiterMemory({
    points: Number.MAX_SAFE_INTEGER,
    duration: COUNT_MS / 1_000,
  });
  readonly #together: RateLimiterRedis;

  /** @param prefix first part of every key. */
  constructor(redis: RedisClient, prefix: string) {
    this.#together = new RateLimiterRedis({
      storeClient: redis,
      keyPrefix: `${prefix}:requests`,
      points: Number.MAX_SAFE_INTEGER,
      duration: COUNT_MS / 1_000,
      // Without this, a command and its request would wait for the connection.
      rejectIfRedisNotReady: true,
    });
  }

  async count(principalId: string): Promise<Count> {
    const { consumedPoints, msBeforeNext } = await this.#consume(principalId);
    return { requests: consumedPoints, restMs: msBeforeNext };
  }

  async forget(principalId: string): Promise<void> {
    await Promise.all([this.#together.delete(principalId), this.#alone.delete(principalId)]);
  }

  async #consume(principalId: string) {
    try {
      const counting = this.#together.consume(principalId);
      return await untilAborted(counting, AbortSignal.timeout(COUNT_TIMEOUT_MS));
    } catch {
      // The outage is logged by the connection; here it means to count in the process.
      return this.#alone.consume(principalId);
    }
  }
}
