/** The servers `scripts/test.mjs` started for this run. */
export const testRedisUrl = (): string => given('TEST_REDIS_URL');
export const testDatabaseUrl = (): string => given('TEST_DATABASE_URL');

function given(name: 'TEST_REDIS_URL' | 'TEST_DATABASE_URL'): string {
  const url = process.env[name];
  if (url === undefined || url === '') {
    throw new Error(`${name} is not set. Run the tests with: npm run jest -- …`);
  }
  return url;
}
