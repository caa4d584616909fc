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
  // For a machine that is busy with other things: a test that hangs is worth waiting two minutes for.
  testTimeout: 120_000,
  // Most of the time goes to waiting for sockets and processes, not to computing.
  maxWorkers: 2,
  projects: [
    {
      ...base,
      displayName: 'unit',
      roots: [
        '<rootDir>/src',
        '<rootDir>/web/src',
        '<rootDir>/test/conformance',
        '<rootDir>/test/integration',
      ],
      testMatch: ['**/*.test.ts'],
    },
    // One suite, two back ends, and beside it what only one of them has.
    {
      ...base,
      displayName: 'embedded',
      roots: ['<rootDir>/test/e2e', '<rootDir>/test/embedded'],
      testMatch: ['**/*.test.ts'],
      globals: { BACK_END: 'embedded' },
    },
    {
      ...base,
      displayName: 'distributed',
      roots: ['<rootDir>/test/e2e', '<rootDir>/test/distributed'],
      testMatch: ['**/*.test.ts'],
      globals: { BACK_END: 'distributed' },
    },
    // The console in Chromium; on the second back end all but how it looks.
    {
      ...browser,
      displayName: 'browser-embedded',
      testMatch: ['**/*.test.ts'],
      globals: { BACK_END: 'embedded' },
    },
    {
      ...browser,
      displayName: 'browser-distributed',
      testMatch: ['**/{approvals,attachments,chat,keys,queue,settings,tabs,timeline}.test.ts'],
      globals: { BACK_END: 'distributed' },
    },
  ],
};
