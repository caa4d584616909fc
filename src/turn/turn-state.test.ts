import { describe, expect, it } from '@jest/globals';
import { defaultAgentConfig } from '../governance/agent-config.js';
import { newAgentState } from '../governance/agent-state.js';
import { DefaultDecisionTree } from '../governance/default-decision-tree.js';
import type { ToolCallStatus } from '../storage/schema.js';
import { addOverhead, addResult, addStep, openState, tokensOf } from './turn-state.js';

const tree = new DefaultDecisionTree(defaultAgentConfig);
const begin = newAgentState({
  userId: 'u',
  projectId: 'p',
  startTime: 0,
  config: defaultAgentConfig,
});
const usage = { inputTokens: 10, outputTokens: 5, cacheReadTokens: 1_000, cacheWriteTokens: 3 };

describe('the state of a turn', () => {
  it.each<[ToolCallStatus, string, number, number]>([
    ['error', 'no such file', 1, 1],
    ['success', 'text', 0, 1],
    // Infrastructure, and the server's own refusals.
    ['unknown', 'the process died', 0, 1],
    ['denied', 'permission denied: no', 0, 1],
    ['denied', 'not run: too many calls', 0, 0],
  ])(
    'takes a call that is %s (%s) for %s errors and %s actions',
    (status, output, errors, actions) => {
      const state = addResult(tree, begin, { name: 'read', input: {}, output, status });
      expect([state.toolErrors, state.actions.length]).toEqual([errors, actions]);
    },
  );

  it('counts what a step cost, and not what the cache gave', () => {
    expect(tokensOf(usage)).toBe(18);
    const state = addStep(begin, { parts: [], usage }, { usd: 1, price: { input: 1, output: 1 } });
    expect([state.tokensUsed, state.hasFinished]).toEqual([18, true]);
    expect(state.cost?.usedUsd).toBeCloseTo((10 + 3 * 1.25 + 1_000 * 0.1 + 5) / 1e6, 12);
    const more = addStep(
      state,
      { parts: [{ type: 'tool_use', id: 'a', name: 'read', input: {} }], usage },
      undefined,
    );
    expect([more.tokensUsed, more.hasFinished]).toEqual([36, false]);
  });

  it('counts what was spent on no step, also after a crash', () => {
    const costLimit = { usd: 1, price: { input: 1, output: 1 } };
    const spent = addOverhead(begin, usage, costLimit);
    expect([spent.tokensUsed, spent.hasFinished, spent.turn]).toEqual([18, false, 0]);
    const startedAt = new Date(0);
    const source = {
      principalId: 'u',
      projectRoot: 'p',
      startedAt,
      steps: [],
      calls: [],
      costLimit,
    };
    const opened = openState(tree, { ...source, children: [], overhead: usage }, 0);
    expect([opened.tokensUsed, opened.cost]).toEqual([18, spent.cost]);
  });
});
