const base = {
  testEnvironment: 'node',
  // Not with the temporary files, which go after every run.
  cacheDirectory: '<rootDir>/node_modules/.cache/jest',
  extensionsToTreatAsEsm: ['.ts'],
  moduleNameMapper: { '^(\\.{1,2}/.*)\\.js$': '$1' },
  transform: {
    '^.+\\.ts$': [
      '@swc/jest',
      {
        jsc: {
          target: 'es2022',
          parser: { syntax: 'typescript', decorators: true },
          transform: { legacyDecorator: true, decoratorMetadata: true },
        },
        module: { type: 'es6' },
      },
    ],
  },
};

const browser = {
  ...base,
  setupFilesAfterEnv: ['<rootDir>/test/browser/set-patience.ts'],
  roots: ['<rootDir>/test/browser'],
};

export default {
  // For a machine that is busy with other things: a test that hangs is worth waiting a minute for.
  testTimeout: 60_000,
  // Most of the time goes to waiting for sockets and processes, not to computing.
  maxWorkers: 2,
  // Modules of a suite stay in memory after it: past a gigabyte, collecting them takes longer than starting again.
  workerIdleMemoryLimit: '1GB',
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
