import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { groups } from '../agent-sdk/cases/groups.js';
import { expectedOutcomes, keepOutcomes } from '../agent-sdk/expected-outcomes.js';
import { normalise, type Outcome } from '../agent-sdk/normalise.js';
import { installReal } from '../agent-sdk/real/install-real.js';
import { runReal } from '../agent-sdk/real/run-real.js';

const keeps = process.env['UPDATE_GOLDEN'] === '1';

describe('what is recorded of the real Claude Agent SDK is what it gives', () => {
  let sdkFolder: string;
  beforeAll(() => {
    sdkFolder = installReal();
  });

  describe.each(groups)('$name', ({ name: group, aspects, cases }) => {
    const outcomes: Record<string, Outcome> = {};

    it.each(cases)('$name', async (one) => {
      const recording = await runReal(group, one, sdkFolder);
      const outcome = normalise(recording, [...aspects, ...(one.also ?? [])]);
      outcomes[one.name] = outcome;
      if (!keeps) expect(outcome).toEqual(expectedOutcomes(group)[one.name]);
    });

    afterAll(() => {
      // A run of some cases keeps what is recorded of the others.
      if (!keeps || Object.keys(outcomes).length === 0) return;
      const kept = { ...expectedOutcomes(group), ...outcomes };
      keepOutcomes(
        group,
        cases.map(({ name }) => [name, kept[name] ?? {}]),
      );
    });
  });
});
