import { availableParallelism } from 'node:os';

/** Suites that take minutes of two cores, or depend on their speed: `npm run test:release` runs them. */
const long = [
  'browser/accessibility',
  'clients/cut-requests',
  'distributed/attempts-exhausted',
  'distributed/chaos',
  'distributed/many-processes',
  'distributed/migrate',
  'distributed/outages',
  'distributed/schedule-races',
  'distributed/unreachable',
  'crash/crash-twice',
  'crash/scorecard',
  'server/fair-files',
];

/**
 * What `npm test` runs beside all unit suites: what broke most in the last hundred fixes, one path for each wire and
 * kill -9 on both back ends, the console's main path. They import nothing that `test/package.json` does not have.
 */
const first = {
  onBothBackEnds: ['test/e2e/crash/crash-wires', 'test/e2e/turn/turn-stream'],
  distributed: [
    'test/e2e/access/access',
    'test/e2e/tools/approvals',
    'test/e2e/turn/resume',
    'test/api/security/http',
  ],
  integration: [
    'test/conformance/memory-event-log',
    'test/conformance/redis',
    'test/integration/mcp-stdio',
  ],
  browser: ['test/browser/approvals'],
};

/** The files of `first`, for the checks of their types. */
export const firstSuites = Object.values(first).flatMap(filesOf);

/** `first`: `npm test`; `all`: `npm run test:all`; without it every suite, as for a release. */
const scope = process.env.TEST_SCOPE;

/**
 * Suites of e2e that run over both back ends: those that end processes at the steps of a turn, and one of the API and
 * one of streams as smoke tests. The ports have one conformance suite for both, so that the others run over PostgreSQL
 * and Redis alone; before a release all of them run over both.
 */
const onBothBackEnds =
  scope === 'all'
    ? [
        'crash/{crash-points,crash-services,crash-wires,mcp-crash,memory-crash}',
        'server/api-surface',
        'turn/turn-stream',
        'access/secrets-at-rest',
      ]
    : ['**/*'];
const suites = [
  '**/*.test.ts',
  ...(scope === 'all' ? long.map((suite) => `!**/${suite}.test.ts`) : []),
];

/** @param {string[]} names */
function filesOf(names) {
  return names.map((name) => `${name}.test.ts`);
}

/** The patterns of a project, or its part of `npm test`. @param {string[]} patterns @param {string[]} firstOfProject */
function match(patterns, firstOfProject) {
  return scope === 'first' ? filesOf(firstOfProject).map((file) => `**/${file}`) : patterns;
}

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
  // The one limit of a test, and for one that hangs alone: a machine may be as busy as it likes.
  testTimeout: 900_000,
  // Unit suites compute; the others also wait for sockets and processes. One worker more takes a third more CPU.
  maxWorkers: Math.max(2, availableParallelism()) + (scope === 'first' ? 0 : 1),
  // A worker closes its databases and frees a gigabyte; what a test leaves open lasts longer, and jest says so.
  workerGracefulExitTimeout: 5_000,
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
      roots: [
        '<rootDir>/test/agent-sdk',
        '<rootDir>/test/conformance',
        '<rootDir>/test/integration',
        '<rootDir>/test/interop',
      ],
      testMatch: match(['**/*.test.ts'], first.integration),
    },
    {
      ...base,
      displayName: 'embedded',
      roots: ['<rootDir>/test/e2e', '<rootDir>/test/embedded'],
      testMatch: match(
        [
          '**/test/embedded/**/*.test.ts',
          ...onBothBackEnds.map((suite) => `**/test/e2e/${suite}.test.ts`),
          ...suites.slice(1),
        ],
        first.onBothBackEnds,
      ),
      globals: { BACK_END: 'embedded' },
    },
    {
      ...base,
      displayName: 'distributed',
      roots: ['<rootDir>/test/e2e', '<rootDir>/test/distributed', '<rootDir>/test/api'],
      testMatch: match(suites, [...first.onBothBackEnds, ...first.distributed]),
      globals: { BACK_END: 'distributed' },
    },
    // The console in Chromium; on the second back end what it shows of that.
    {
      ...browser,
      displayName: 'browser-embedded',
      testMatch: match(suites, first.browser),
      globals: { BACK_END: 'embedded' },
    },
    ...(scope === 'first'
      ? []
      : [
          {
            ...browser,
            displayName: 'browser-distributed',
            testMatch: ['**/{keys,queue,tabs}.test.ts'],
            globals: { BACK_END: 'distributed' },
          },
        ]),
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
