import { RateLimiterMemory, RateLimiterRedis } from 'rate-limiter-flexible';
import { TypedError } from '../../errors/typed-error.js';
import { untilAborted } from '../../platform/async/deadlines.js';
import type { RedisClient } from '../../storage/redis/redis-connection.js';

/** Length of a counting window, in ms. */
const COUNT_MS = 60_000;

interface Count {
  /** Requests of the window, this one included. */
  requests: number;
  /** Milliseconds until the window ends. */
  restMs: number;
}

/** Counts requests by principal. Never rejects because a store is away. */
export interface RequestCounter {
  count(principalId: string): Promise<Count>;
  /** Forgets the requests of a principal. Rejects when a store is away. */
  forget(principalId: string): Promise<void>;
}

/** Injects the `RequestCounter` of the back end. */
export const REQUEST_COUNTER = Symbol('RequestCounter');

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

/**
 * Counts a request of a principal, and refuses it beyond the limit.
 *
 * @param limit requests in a window, from 1.
 * @throws TypedError RATE_LIMITED 429.
 */
export async function checkRate(
  counter: RequestCounter,
  principalId: string,
  limit: number,
): Promise<void> {
  const { requests, restMs } = await counter.count(principalId);
  if (requests > limit) throw rateLimited(limit, COUNT_MS, restMs);
}

/** @param waitMs milliseconds until the next request is allowed. */
function rateLimited(limit: number, perMs: number, waitMs: number): TypedError {
  const seconds = Math.max(1, Math.ceil(waitMs / 1_000));
  return new TypedError('RATE_LIMITED', {
    message: `You have sent the ${limit} requests that are allowed in ${perMs / 1_000} s. Send this one again in ${seconds} s.`,
    details: { limit, perMs },
    headers: { 'Retry-After': String(seconds) },
  });
}

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
