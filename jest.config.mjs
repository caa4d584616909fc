/** Suites that take minutes of two cores, or depend on their speed: `npm test` leaves them to `npm run test:release`. */
const long = [
  'browser/accessibility',
  'distributed/attempts-exhausted',
  'distributed/chaos',
  'distributed/many-processes',
  'distributed/migrate',
  'distributed/outages',
  'distributed/schedule-races',
  'distributed/unreachable',
  'crash/crash-twice',
  'server/fair-files',
];
const isShort = process.env.TEST_SHORT !== undefined;
/**
 * Suites of e2e that run over both back ends: those that end processes, and one of the API and one of streams as
 * smoke tests. The ports have one conformance suite for both, so that the others run over PostgreSQL and Redis alone;
 * before a release all of them run over both.
 */
const onBothBackEnds = isShort
  ? ['crash/*', 'server/api-surface', 'turn/turn-stream', 'access/secrets-at-rest']
  : ['**/*'];
const suites = ['**/*.test.ts', ...(isShort ? long.map((suite) => `!**/${suite}.test.ts`) : [])];

const base = {
  // Not with the temporary files, which go after every run.
  cacheDirectory: '<rootDir>/node_modules/.cache/jest',
  moduleNameMapper: { '^(\\.{1,2}/.*)\\.js$': '$1' },
  testEnvironment: '<rootDir>/test/jest/environment.mjs',
  testRunner: '<rootDir>/test/jest/run-file.mjs',
  transform: {},
  injectGlobals: false,
};

const browser = {
  ...base,
  globalSetup: '<rootDir>/test/browser/start-browser.mjs',
  globalTeardown: '<rootDir>/test/browser/stop-browser.mjs',
  roots: ['<rootDir>/test/browser'],
};

export default {
  // For a machine that is busy with other things: a test that hangs is worth waiting five minutes for.
  testTimeout: 300_000,
  // Most of the time goes to waiting for sockets and processes, not to computing.
  maxWorkers: 4,
  testSequencer: '<rootDir>/test/jest/longest-first.mjs',
  projects: [
    {
      ...base,
      displayName: 'unit',
      roots: ['<rootDir>/src', '<rootDir>/rehearsal', '<rootDir>/web/src'],
      testMatch: ['**/*.test.ts'],
    },
    // Both sides of a port, and parts with the processes, databases and models that they need.
    {
      ...base,
      displayName: 'integration',
      roots: ['<rootDir>/test/conformance', '<rootDir>/test/integration'],
      testMatch: ['**/*.test.ts'],
    },
    {
      ...base,
      displayName: 'embedded',
      roots: ['<rootDir>/test/e2e', '<rootDir>/test/embedded'],
      testMatch: [
        '**/test/embedded/**/*.test.ts',
        ...onBothBackEnds.map((suite) => `**/test/e2e/${suite}.test.ts`),
        ...suites.slice(1),
      ],
      globals: { BACK_END: 'embedded' },
    },
    {
      ...base,
      displayName: 'distributed',
      roots: ['<rootDir>/test/e2e', '<rootDir>/test/distributed', '<rootDir>/test/api'],
      testMatch: suites,
      globals: { BACK_END: 'distributed' },
    },
    // The console in Chromium; on the second back end what it shows of that.
    {
      ...browser,
      displayName: 'browser-embedded',
      testMatch: suites,
      globals: { BACK_END: 'embedded' },
    },
    {
      ...browser,
      displayName: 'browser-distributed',
      testMatch: ['**/{keys,queue,tabs}.test.ts'],
      globals: { BACK_END: 'distributed' },
    },
    // What takes long, or packages from the registry: `npm run test:release`.
    ...(process.env.TEST_RELEASE === undefined
      ? []
      : [
          {
            ...base,
            displayName: 'release',
            roots: ['<rootDir>/test/release'],
            testMatch: ['**/*.test.ts'],
            globals: { BACK_END: 'distributed' },
          },
        ]),
  ],
};
