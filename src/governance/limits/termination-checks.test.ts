import { describe, expect, it } from '@jest/globals';
import { defaultAgentConfig } from '../decision-tree/agent-config.js';
import {
  newAgentState,
  type ActionRecord,
  type AgentState,
  type AgentStateChange,
} from '../decision-tree/agent-state.js';
import { terminationChecks, terminationTable } from './termination-checks.js';

const config = { ...defaultAgentConfig, maxIterations: 10, tokenBudget: 5_000, timeoutSeconds: 60 };

function stateWith(change: AgentStateChange): AgentState {
  return newAgentState({ userId: 'u', projectId: 'p', startTime: 0, config, ...change });
}

function same(times: number): ActionRecord[] {
  return Array.from({ length: times }, (_, index) => ({
    turn: index + 1,
    tool: 'read',
    signature: 'read({})',
    action: 'read({})',
    outcome: 'ok:1',
    isError: false,
  }));
}

describe('the termination checks', () => {
  // A state below each limit, at it, and above it.
  it.each<[string, AgentStateChange, AgentStateChange, AgentStateChange]>([
    ['max_iterations', { turn: 9 }, { turn: 10 }, { turn: 11 }],
    ['token_budget', { tokensUsed: 4_999 }, { tokensUsed: 5_000 }, { tokensUsed: 5_001 }],
    ['timeout', { now: 59_999 }, { now: 60_000 }, { now: 60_001 }],
    ['no_progress', { actions: same(2) }, { actions: same(3) }, { actions: same(4) }],
    ['error_limit', { toolErrors: 2 }, { toolErrors: 3 }, { toolErrors: 4 }],
  ])('%s', (reason, below, at, above) => {
    const applying = (change: AgentStateChange): string[] =>
      terminationChecks.filter((one) => one.applies(stateWith(change))).map((one) => one.reason);
    expect(applying(below)).toEqual([]);
    expect(applying(at)).toEqual([reason]);
    expect(applying(above)).toEqual([reason]);
  });

  it.each([['completed', { hasFinished: true }]])('%s', (reason, change) => {
    const found = terminationChecks.filter((one) => one.applies(stateWith(change)));
    expect(found.map((one) => one.reason)).toEqual([reason]);
  });
});

describe('the error limit', () => {
  const failed = (turn: number): ActionRecord => ({
    turn,
    tool: 'read',
    signature: `read(${turn})`,
    action: 'read({})',
    outcome: `error:${turn}`,
    isError: true,
  });
  const reasonAt = (turn: number, errorsAt: number[]) =>
    terminationChecks.find(({ applies }) =>
      applies(stateWith({ turn, toolErrors: errorsAt.length, actions: errorsAt.map(failed) })),
    )?.reason;

  it.each([
    ['three of one step that no reply has seen', 1, [1, 1, 1], undefined],
    ['five of one step that no reply has seen', 2, [2, 2, 2, 2, 2], undefined],
    ['three of one step, and a reply that asks for more', 2, [1, 1, 1], 'error_limit'],
    ['three of three steps that no reply has seen', 3, [1, 2, 3], undefined],
    ['three of three steps, and a reply that asks for more', 4, [1, 2, 3], 'error_limit'],
    ['two, and a reply', 3, [1, 2], undefined],
  ])('%s', (_name, turn, errorsAt, reason) => {
    expect(reasonAt(turn, errorsAt)).toBe(reason);
  });
});

describe('the session’s tokens', () => {
  it.each([
    [999, undefined],
    [1_000, 'token_budget'],
  ])('at %i of 1,000: %s', (usedTokens, reason) => {
    const state = stateWith({ session: { usedTokens, limitTokens: 1_000 } });
    expect(terminationChecks.find(({ applies }) => applies(state))?.reason).toBe(reason);
  });
});

describe('the limit of cost', () => {
  const at = (usedUsd: number) =>
    newAgentState({
      userId: 'u',
      projectId: 'p',
      startTime: 0,
      config: defaultAgentConfig,
      cost: { usedUsd, limitUsd: 1 },
    });
  const reasonAt = (usedUsd: number) =>
    terminationChecks.find(({ applies }) => applies(at(usedUsd)))?.reason;

  it.each([
    [0.99, undefined],
    [1, 'cost_budget'],
    [1.01, 'cost_budget'],
  ])('at %s of 1 dollar: %s', (usedUsd, reason) => {
    expect(reasonAt(usedUsd)).toBe(reason);
  });
});

describe('terminationTable', () => {
  it('has every reason once, in the order of the contract, with words', () => {
    expect(terminationTable().map(({ reason }) => reason)).toEqual([
      'completed',
      'max_iterations',
      'token_budget',
      'cost_budget',
      'timeout',
      'no_progress',
      'error_limit',
    ]);
    for (const { when } of terminationTable()) expect(when).not.toBe('');
  });
});
