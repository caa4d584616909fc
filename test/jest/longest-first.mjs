import Sequencer from '@jest/test-sequencer';

/**
 * Seconds of the longest suites on two cores. They begin first, so that none runs alone at the end; a fresh
 * clone has no times of its own.
 */
const seconds = {
  'distributed/outages': 40,
  'integration/simulation': 40,
  'distributed/chaos': 35,
  'embedded/command-line': 27,
  'browser/chat': 25,
  'integration/long-conversations': 25,
  'integration/extractor': 24,
  'embedded/crash': 20,
  'browser/accessibility': 20,
  'e2e/server/fair-files': 20,
  'e2e/crash/crash-points': 18,
  'distributed/many-processes': 18,
  'e2e/server/busy': 17,
  'distributed/killed-worker': 17,
  'browser/steady-stream': 15,
  'distributed/attempts-exhausted': 15,
  'clients/slow-reader': 12,
};

/** @param {{ path: string }} test */
const known = ({ path }) =>
  Object.entries(seconds).find(([suite]) => path.endsWith(`${suite}.test.ts`))?.[1] ?? 0;

export default class LongestFirst extends Sequencer {
  /** @override */
  sort(tests) {
    return super.sort(tests).sort((a, b) => known(b) - known(a));
  }
}
