import type { RedisAddress } from '../../../src/storage/redis/redis-address.js';

/** The servers `scripts/test.mjs` started for this run. */
export const testRedisUrl = (): string => given('TEST_REDIS_URL');
export const testDatabaseUrl = (): string => given('TEST_DATABASE_URL');

/** The Redis of `testRedisUrl`, as the server parses it. */
export const testRedis = (): RedisAddress => ({ kind: 'server', url: testRedisUrl() });

/** A variable that `scripts/test.mjs` sets. */
export function given(name: `TEST_${string}`): string {
  const value = process.env[name];
  if (value === undefined || value === '') {
    throw new Error(`${name} is not set. Run the tests with: npm run jest -- …`);
  }
  return value;
}
