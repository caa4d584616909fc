import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, it } from '@jest/globals';
import type { AgentSdk } from '../agent-sdk/agent-sdk.js';
import { groups } from '../agent-sdk/cases/groups.js';
import { compareOurs, type Side } from '../agent-sdk/compare-ours.js';
import { installReal } from '../agent-sdk/real/install-real.js';
import { realModule } from '../agent-sdk/real/run-real.js';
import { newFolder } from '../support/suite.js';

/** The real SDK in this process, as ours will be. */
const real: Side = {
  names: { call: (call) => call, requests: (requests) => [...requests] },
  open: async ({ modelUrl }) => {
    const home = newFolder();
    Object.assign(process.env, {
      HOME: home,
      CLAUDE_CONFIG_DIR: path.join(home, 'config'),
      ANTHROPIC_API_KEY: 'dummy',
      ANTHROPIC_BASE_URL: modelUrl,
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    });
    const sdk = (await import(pathToFileURL(realModule(installReal())).href)) as AgentSdk;
    return { sdk, close: async () => {} };
  },
};

describe('comparing an SDK with what is recorded', () => {
  it('finds the real one equal, in the first case of each group', async () => {
    const firsts = groups.map((group) => ({ ...group, cases: group.cases.slice(0, 1) }));
    const compared = await compareOurs(real, firsts);
    expect(
      compared.map(({ group, verdict, differences }) => ({ group, verdict, differences })),
    ).toEqual(groups.map(({ name: group }) => ({ group, verdict: 'equal', differences: [] })));
  });
});
