import Sequencer from '@jest/test-sequencer';

/**
 * Seconds of the longest suites on two cores. They begin first, so that none runs alone at the end; a fresh
 * clone has no times of its own.
 */
const seconds = {
  'release/agent-sdk': 310,
  'release/agent-sdk-programs': 22,
  'distributed/chaos': 55,
  'distributed/outages': 40,
  'integration/simulation': 39,
  'integration/fair-queue': 35,
  'browser/accessibility': 35,
  'browser/chat': 30,
  'embedded/command-line': 29,
  'embedded/start-faults': 28,
  'tools/tools-folder': 28,
  'embedded/crash': 28,
  'browser/create-turnpike': 28,
  'integration/extractor': 24,
  'transfer/transfer': 24,
  'crash/crash-wires': 23,
  'conformance/blob-stores': 44,
  'browser/approvals': 21,
  'lifecycle/presence': 20,
  'integration/mcp-stdio': 12,
  'access/master-key-rotation': 10,
  'distributed/schedule-races': 20,
  'server/busy': 19,
  'embedded/data-folder': 19,
  'browser/schedules': 19,
  'distributed/many-processes': 18,
  'distributed/migrate': 16,
  'browser/settings': 15,
  'browser/site': 15,
  'browser/tabs': 15,
  'distributed/killed-worker': 15,
  'distributed/unreachable': 15,
  'distributed/attempts-exhausted': 15,
  'document/complete': 15,
  'clients/documentation-blocks': 14,
  'browser/steady-stream': 14,
  'automation/webhooks': 14,
  'crash/crash-twice': 13,
  'integration/long-conversations': 13,
  'server/fair-files': 12,
  'crash/crash-points': 12,
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
