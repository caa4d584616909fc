import { describe, expect, it } from '@jest/globals';
import { defaultAgentConfig } from '../../governance/decision-tree/agent-config.js';
import { newAgentState } from '../../governance/decision-tree/agent-state.js';
import { DefaultDecisionTree } from '../../governance/decision-tree/decision-trees.js';
import type { ToolCallStatus } from '../../storage/shapes/stored-turn.js';
import { tokensOf } from '../../governance/limits/cost.js';
import { noUsage } from '../../events/turn-event.js';
import {
  addedTokens,
  addChild,
  addOverhead,
  addResults,
  addSample,
  addStep,
  openState,
  contextBefore,
} from './turn-state.js';

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
    ['refused', 'not run: too many calls', 0, 0],
    // Only the status decides: a tool may use the words.
    ['denied', 'not run: too many calls', 0, 1],
  ])(
    'takes a call that is %s (%s) for %s errors and %s actions',
    (status, output, errors, actions) => {
      const call = { type: 'tool_use' as const, id: 'a', name: 'read', input: {} };
      const results = new Map([['a', { output, status }]]);
      const state = addResults(tree, begin, { step: { parts: [call] }, results });
      expect([state.toolErrors, state.actions.length]).toEqual([errors, actions]);
    },
  );

  it('takes results in the order of the calls, when all are in', () => {
    const call = (id: string) => ({ type: 'tool_use' as const, id, name: id, input: {} });
    const step = { parts: [call('a'), call('b'), call('c')] };
    const failed = { status: 'error' as const, output: 'no' };
    const done = { status: 'success' as const, output: 'yes' };
    const errorsOf = (results: [string, typeof failed | typeof done][]) =>
      addResults(tree, begin, { step, results: new Map(results) }).toolErrors;
    // The order in which calls ended does not matter.
    expect(
      errorsOf([
        ['c', failed],
        ['a', done],
        ['b', failed],
      ]),
    ).toBe(2);
    expect(
      errorsOf([
        ['a', failed],
        ['b', failed],
        ['c', done],
      ]),
    ).toBe(0);
    expect(
      errorsOf([
        ['a', failed],
        ['b', failed],
      ]),
    ).toBe(0);
  });

  it('counts what a step added where that is known, and its cost as it was', () => {
    const counted = { ...usage, addedTokens: 7, costUsd: 0.5 };
    expect([addedTokens(counted), addedTokens(usage)]).toEqual([7, 18]);
    const session = { usedTokens: 100, limitTokens: 1_000 };
    const cost = { usedUsd: 0, limitUsd: 2 };
    const from = newAgentState({ ...begin, session, cost });
    const state = addChild(from, counted, { usd: 2, price: { input: 1, output: 1 } });
    expect([state.tokensUsed, state.session?.usedTokens, state.cost?.usedUsd]).toEqual([
      7, 118, 0.5,
    ]);
  });

  it('counts what a step cost, and not what the cache gave', () => {
    expect(tokensOf(usage)).toBe(18);
    const limited = newAgentState({ ...begin, cost: { usedUsd: 0, limitUsd: 1 } });
    const limit = { usd: 1, price: { input: 1, output: 1 } };
    const state = addStep(limited, { parts: [], usage, stopReason: 'end_turn' }, limit);
    expect([state.tokensUsed, state.hasFinished]).toEqual([18, true]);
    expect(state.cost?.usedUsd).toBeCloseTo((10 + 3 * 1.25 + 1_000 * 0.1 + 5) / 1e6, 12);
    const more = addStep(
      state,
      {
        parts: [{ type: 'tool_use', id: 'a', name: 'read', input: {} }],
        usage,
        stopReason: 'tool_use',
      },
      undefined,
    );
    expect([more.tokensUsed, more.hasFinished]).toEqual([36, false]);
  });

  it('has not finished while the provider has paused the reply: its limits apply', () => {
    const { config } = begin;
    let state = begin;
    for (let step = 0; step < config.maxIterations; step += 1) {
      state = addStep(
        tree.onTurnStart(state),
        { parts: [], usage, stopReason: 'pause_turn' },
        undefined,
      );
    }
    expect(tree.shouldContinue(state)).toEqual({ shouldContinue: false, reason: 'max_iterations' });
  });

  it('counts what a server asked the model as a model call, before and after a crash', () => {
    const costLimit = { usd: 1, price: { input: 1, output: 1 } };
    const limited = newAgentState({ ...begin, cost: { usedUsd: 0, limitUsd: 1 } });
    const parts = [{ type: 'tool_use' as const, id: 'a', name: 'mcp__s__ask', input: {} }];
    const step = { parts, usage, stopReason: 'tool_use' as const };
    const asked = { ...usage, addedTokens: 18, costUsd: 0.25 };
    const live = addSample(addStep(tree.onTurnStart(limited), step, costLimit), asked, costLimit);
    expect([live.turn, live.tokensUsed]).toEqual([2, 36]);
    const source = {
      principalId: 'u',
      projectRoot: 'p',
      startedAt: new Date(0),
      steps: [
        {
          ...step,
          turnId: 't',
          step: 1,
          attempt: 1,
          sent: null,
          model: null,
          cacheBroken: null,
          startedAt: new Date(0),
          firstTokenAt: null,
          endedAt: new Date(0),
        },
      ],
      calls: [],
      sampled: new Map([['a', [asked]]]),
      overhead: noUsage,
      costLimit,
      session: undefined,
      children: [],
    };
    const opened = openState(tree, source, 0);
    expect([opened.turn, opened.tokensUsed, opened.cost]).toEqual([2, 36, live.cost]);
  });

  it('counts what was paid for no step, also after a crash, and not as what the turn added', () => {
    const costLimit = { usd: 1, price: { input: 1, output: 1 } };
    const session = { usedTokens: 5, limitTokens: 1_000 };
    const limited = newAgentState({ ...begin, session, cost: { usedUsd: 0, limitUsd: 1 } });
    const spent = addOverhead(limited, usage, costLimit);
    expect([spent.tokensUsed, spent.session?.usedTokens, spent.turn]).toEqual([0, 23, 0]);
    const startedAt = new Date(0);
    const source = {
      principalId: 'u',
      projectRoot: 'p',
      startedAt,
      steps: [],
      calls: [],
      sampled: new Map(),
      costLimit,
      session,
    };
    const opened = openState(tree, { ...source, children: [], overhead: usage }, 0);
    expect([opened.tokensUsed, opened.cost, opened.session]).toEqual([
      0,
      spent.cost,
      spent.session,
    ]);
  });
});

const stepOf = (inputTokens: number) => ({
  usage: { ...noUsage, inputTokens, cacheReadTokens: 5 },
});
const failed = { usage: noUsage };

describe('contextBefore', () => {
  it.each([
    ['no turn', [], 0],
    ['the last step', [{ steps: [stepOf(1)] }, { steps: [stepOf(2), stepOf(3)] }], 8],
    ['the last step that reached the model', [{ steps: [stepOf(1), failed] }, { steps: [] }], 6],
    ['none that did', [{ steps: [failed] }], 0],
  ])('of %s', (_name, turns, tokens) => {
    expect(contextBefore(turns)).toBe(tokens);
  });
});
