import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { defaultAgentConfig } from '../decision-tree/agent-config.js';
import {
  newAgentState,
  type AgentState,
  type AgentStateChange,
} from '../decision-tree/agent-state.js';
import { iterationWarnAt, warnings } from './limit-warnings.js';

const config = { ...defaultAgentConfig, maxIterations: 10 };

function stateWith(change: AgentStateChange): AgentState {
  return newAgentState({ userId: 'u', projectId: 'p', startTime: 0, config, ...change });
}

describe('iterationWarnAt', () => {
  it.each([
    [1, 70, undefined],
    [2, 70, undefined],
    [3, 50, 1],
    [3, 90, 1],
    [4, 70, 2],
    [5, 90, 3],
    [10, 70, 7],
    [10, 90, 8],
    [15, 70, 11],
    [50, 50, 25],
    [50, 90, 45],
  ])('of %i at %i %%: %s', (maxIterations, softWarningPercent, mark) => {
    expect(iterationWarnAt({ ...config, maxIterations, softWarningPercent })).toBe(mark);
  });

  it('leaves at least two iterations, wherever it warns', () => {
    const max = fc.integer({ min: 1, max: 50 });
    fc.assert(
      fc.property(max, fc.integer({ min: 50, max: 90 }), (maxIterations, softWarningPercent) => {
        const mark = iterationWarnAt({ ...config, maxIterations, softWarningPercent });
        expect(mark === undefined).toBe(maxIterations < 3);
        if (mark === undefined) return;
        expect(mark).toBeGreaterThanOrEqual(1);
        expect(maxIterations - mark).toBeGreaterThanOrEqual(2);
      }),
    );
  });
});

describe('warnings', () => {
  it.each<[string, AgentStateChange]>([
    ['nothing done', {}],
    ['an iteration before the mark', { turn: 6 }],
    ['a token before the mark', { tokensUsed: 39_999 }],
    ['a millisecond before the mark', { now: 83_999 }],
    ['every limit reached', { turn: 10, tokensUsed: 50_000, now: 120_000 }],
    ['every limit passed', { turn: 11, tokensUsed: 50_001, now: 120_001 }],
  ])('warns of nothing: %s', (_name, change) => {
    expect(warnings(stateWith(change))).toEqual([]);
  });

  it('warns of iterations', () => {
    expect(warnings(stateWith({ turn: 7 }))).toEqual([
      {
        kind: 'iteration-limit',
        text: 'Approaching iteration limit (7/10). Consider wrapping up your response.',
        metadata: { current_value: 7, limit_value: 10, percent: 70, limit_type: 'iteration' },
      },
    ]);
  });

  it('warns of tokens', () => {
    expect(warnings(stateWith({ tokensUsed: 40_000 }))).toEqual([
      {
        kind: 'token-limit',
        text: 'Approaching token budget (40,000/50,000 tokens). Consider being more concise.',
        metadata: { current_value: 40_000, limit_value: 50_000, percent: 80, limit_type: 'token' },
      },
    ]);
  });

  it('warns of time', () => {
    expect(warnings(stateWith({ now: 84_000 }))).toEqual([
      {
        kind: 'time-limit',
        text: 'Approaching time limit (84/120 seconds). Consider wrapping up your response.',
        metadata: { current_value: 84, limit_value: 120, percent: 70, limit_type: 'timeout' },
      },
    ]);
  });

  it('warns of all at once, up to the last moment', () => {
    const all = warnings(stateWith({ turn: 9, tokensUsed: 49_999, now: 119_999 }));
    expect(all.map(({ kind, metadata }) => [kind, metadata.percent])).toEqual([
      ['iteration-limit', 90],
      ['token-limit', 99],
      ['time-limit', 99],
    ]);
  });
});
