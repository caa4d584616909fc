import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import type { AgentConfig } from '../../storage/shapes/stored-options.js';
import { defaultAgentConfig, agentConfigFields } from './agent-config.js';
import {
  changeState,
  moveTime,
  newAgentState,
  type ActionRecord,
  type AgentState,
  type AgentStateChange,
} from './agent-state.js';
import { DefaultDecisionTree, recordToolResult } from './decision-trees.js';

const base = { userId: 'u', projectId: 'p', startTime: 1_000, config: defaultAgentConfig };
const action: ActionRecord = {
  turn: 1,
  tool: 'read',
  signature: 'read({})',
  action: 'read({})',
  outcome: 'text',
  isError: false,
};

describe('newAgentState', () => {
  it('starts with nothing done', () => {
    expect(newAgentState(base)).toEqual({
      ...base,
      now: 1_000,
      turn: 0,
      tokensUsed: 0,
      recentActions: [],
      terminationReason: undefined,
      extensions: {},
      hasFinished: false,
      toolErrors: 0,
      lastError: undefined,
      actions: [],
      isTerminal: false,
      elapsedSeconds: 0,
      iterationPercent: 0,
      tokenPercent: 0,
    });
  });

  it('derives how far it has come', () => {
    const given = { turn: 3, tokensUsed: 40_000, now: 85_500 };
    expect(newAgentState({ ...base, ...given })).toMatchObject({
      elapsedSeconds: 84.5,
      iterationPercent: 20,
      tokenPercent: 80,
    });
  });

  it.each([
    [{ turn: -1 }, 'turn must be 0 or more, not -1'],
    [{ turn: Number.NaN }, 'turn must be 0 or more, not NaN'],
    [{ tokensUsed: -0.5 }, 'tokensUsed must be 0 or more, not -0.5'],
    [{ now: 999 }, 'startTime 1000 must not be after now 999'],
  ])('refuses %j, also as a change', (wrong, message) => {
    expect(() => newAgentState({ ...base, ...wrong })).toThrow(message);
    expect(() => changeState(newAgentState(base), wrong)).toThrow(message);
  });

  it('cannot be changed, and does not follow what it was made from', () => {
    const config = { ...defaultAgentConfig };
    const extensions: Record<string, unknown> = { a: 1 };
    const actions = [action];
    const state = newAgentState({ ...base, config, extensions, actions });
    config.maxIterations = 1;
    extensions['a'] = 2;
    actions.push(action);
    expect(state.config.maxIterations).toBe(15);
    expect(state.extensions).toEqual({ a: 1 });
    expect(state.actions).toEqual([action]);
    expect(state.recentActions).toEqual([action.signature]);
    for (const part of [state, state.config, state.extensions, state.recentActions, state.actions])
      expect(Object.isFrozen(part)).toBe(true);
  });
});

describe('transitions', () => {
  it('derive anew and leave the old state alone', () => {
    const state = newAgentState(base);
    const changed = changeState(state, { turn: 15, tokensUsed: 25_000 });
    expect(changed).toMatchObject({ iterationPercent: 100, tokenPercent: 50 });
    expect(state).toEqual(newAgentState(base));
  });

  it('move time forward only', () => {
    const later = moveTime(newAgentState(base), 61_000);
    expect(later.elapsedSeconds).toBe(60);
    expect(moveTime(later, 500).elapsedSeconds).toBe(60);
  });

  it('end with a reason', () => {
    const ended = changeState(newAgentState(base), { terminationReason: 'timeout' });
    expect(ended).toMatchObject({ isTerminal: true, terminationReason: 'timeout' });
  });
});

const result = fc.record({
  name: fc.constantFrom('read', 'bash'),
  input: fc.oneof(fc.jsonValue(), fc.constant(undefined)),
  output: fc.string({ maxLength: 20 }),
  isError: fc.boolean(),
});

type Move = (state: AgentState) => AgentState;
const tree = new DefaultDecisionTree(defaultAgentConfig);
const change: fc.Arbitrary<AgentStateChange> = fc.oneof(
  fc.record({ tokensUsed: fc.nat() }),
  fc.record({ hasFinished: fc.boolean() }),
);
const move: fc.Arbitrary<Move> = fc.oneof(
  fc.constant<Move>((state) => tree.onTurnStart(state)),
  result.map(
    (one): Move =>
      (state) =>
        tree.onToolResult(state, one),
  ),
  fc.integer().map(
    (now): Move =>
      (state) =>
        moveTime(state, now),
  ),
  change.map(
    (one): Move =>
      (state) =>
        changeState(state, one),
  ),
);

describe('every sequence of transitions', () => {
  it('keeps the invariants and never changes a state that was handed out', () => {
    fc.assert(
      fc.property(fc.array(move, { maxLength: 40 }), (moves) => {
        const states = [newAgentState(base)];
        const seen = [JSON.stringify(states[0])];
        for (const one of moves) {
          const next = one(states.at(-1) ?? newAgentState(base));
          states.push(next);
          seen.push(JSON.stringify(next));
          expect(next.turn).toBeGreaterThanOrEqual(0);
          expect(next.tokensUsed).toBeGreaterThanOrEqual(0);
          expect(next.startTime).toBeLessThanOrEqual(next.now);
          expect(next.recentActions.length).toBeLessThanOrEqual(3);
          expect(next.recentActions).toEqual(
            next.actions.slice(-3).map(({ signature }) => signature),
          );
        }
        expect(states.map((state) => JSON.stringify(state))).toEqual(seen);
      }),
    );
  });

  it('does nothing more to a state that has ended', () => {
    const ended = changeState(newAgentState(base), { terminationReason: 'timeout' });
    expect(tree.onTurnStart(ended)).toBe(ended);
    const late = { name: 'read', input: {}, output: '', isError: true };
    expect(tree.onToolResult(ended, late)).toBe(ended);
  });
});

const failing = { name: 'bash', input: { command: 'x' }, output: 'exit 1', isError: true };

function start(config: AgentConfig, change: AgentStateChange = {}): AgentState {
  return newAgentState({ userId: 'u', projectId: 'p', startTime: 0, config, ...change });
}

/** Runs a model that never stops. Returns the iterations and the reason of the end. */
function runForever(config: AgentConfig, seconds = 0, tokens = 0): [number, string] {
  const tree = new DefaultDecisionTree(config);
  let state = start(config);
  for (let run = 0; ; run += 1) {
    const { shouldContinue, reason } = tree.shouldContinue(state);
    if (!shouldContinue) return [run, reason];
    state = tree.onTurnStart(state);
    const result = { name: 'read', input: { run }, output: `${run}`, isError: false };
    state = tree.onToolResult(moveTime(state, state.now + seconds * 1_000), result);
    state = changeState(state, { tokensUsed: state.tokensUsed + tokens });
  }
}

describe('DefaultDecisionTree', () => {
  it('goes on where nothing speaks against it', () => {
    const tree = new DefaultDecisionTree(defaultAgentConfig);
    const verdict = { shouldContinue: true, reason: 'continue' };
    expect(tree.shouldContinue(start(defaultAgentConfig))).toEqual(verdict);
  });

  it('gives the first reason of the contract where several apply', () => {
    const tree = new DefaultDecisionTree(defaultAgentConfig);
    let state = start(defaultAgentConfig, { now: 600_000, turn: 47, tokensUsed: 90_000 });
    for (let turn = 48; turn <= 50; turn += 1)
      state = recordToolResult(changeState(state, { turn }), failing);
    state = changeState(state, { hasFinished: true });
    const steps: [string, AgentStateChange][] = [
      ['completed', { hasFinished: false }],
      ['max_iterations', { turn: 3 }],
      ['token_budget', { tokensUsed: 0 }],
      ['timeout', { now: 0 }],
      ['no_progress', { actions: [] }],
      ['error_limit', { toolErrors: 0 }],
      ['continue', {}],
    ];
    for (const [reason, away] of steps) {
      expect(tree.shouldContinue(state).reason).toBe(reason);
      state = changeState(state, away);
    }
  });

  it('keeps to the reason a state has ended with', () => {
    const tree = new DefaultDecisionTree(defaultAgentConfig);
    const ended = changeState(start(defaultAgentConfig), {
      terminationReason: 'timeout',
      hasFinished: true,
    });
    expect(tree.shouldContinue(ended)).toEqual({ shouldContinue: false, reason: 'timeout' });
  });

  it.each([1, 2, 15, 50])('runs %i iterations where that many are allowed', (maxIterations) => {
    const config = { ...defaultAgentConfig, maxIterations };
    expect(runForever(config)).toEqual([maxIterations, 'max_iterations']);
  });

  it('ends by the limit that is hit first', () => {
    expect(runForever(defaultAgentConfig, 50)).toEqual([3, 'timeout']);
    expect(runForever(defaultAgentConfig, 0, 10_000)).toEqual([5, 'token_budget']);
    expect(runForever(defaultAgentConfig, 60, 25_000)).toEqual([2, 'token_budget']);
  });

  it('counts errors in a row, of whatever tool, and forgets them with a success', () => {
    const tree = new DefaultDecisionTree(defaultAgentConfig);
    const fail = (state: AgentState, name: string): AgentState =>
      tree.onToolResult(tree.onTurnStart(state), { ...failing, name, output: `${name} failed` });
    let state = fail(fail(start(defaultAgentConfig), 'read'), 'grep');
    expect(state).toMatchObject({ toolErrors: 2, lastError: 'grep failed' });
    const third = fail(state, 'bash');
    // The third error has not been shown to the model: its next reply decides.
    expect(tree.shouldContinue(third).reason).toBe('continue');
    expect(tree.shouldContinue(tree.onTurnStart(third)).reason).toBe('error_limit');
    state = tree.onToolResult(state, { ...failing, isError: false });
    expect(state).toMatchObject({ toolErrors: 0, lastError: undefined });
    expect(tree.shouldContinue(fail(state, 'bash')).reason).toBe('continue');
  });

  it('cannot be given another config later', () => {
    const config = { ...defaultAgentConfig };
    const tree = new DefaultDecisionTree(config);
    config.maxIterations = 1;
    expect(tree.getConfig()).toEqual(defaultAgentConfig);
  });

  it('never goes on past a limit, and never stops without a reason', () => {
    const configs = fc.record(
      Object.fromEntries(
        agentConfigFields.map(({ name, min, max }) => [name, fc.integer({ min, max })]),
      ) as Record<keyof AgentConfig, fc.Arbitrary<number>>,
    );
    const facts = fc.record({
      turn: fc.nat(60),
      tokensUsed: fc.nat(250_000),
      now: fc.nat(700_000),
      toolErrors: fc.nat(4),
      hasFinished: fc.boolean(),
    });
    fc.assert(
      fc.property(configs, facts, (config, fact) => {
        const isPast =
          fact.hasFinished ||
          fact.turn >= config.maxIterations ||
          fact.tokensUsed >= config.tokenBudget ||
          fact.now / 1_000 >= config.timeoutSeconds ||
          fact.toolErrors >= 3;
        const verdict = new DefaultDecisionTree(config).shouldContinue(start(config, fact));
        expect(verdict.shouldContinue).toBe(!isPast);
        expect(verdict.reason === 'continue').toBe(!isPast);
      }),
    );
  });
});

describe('recordToolResult', () => {
  it('keeps the last 12 iterations, whole, and the start of a long error', () => {
    let state = start(defaultAgentConfig);
    for (let turn = 1; turn <= 14; turn += 1) {
      state = changeState(state, { turn });
      for (const name of ['a', 'b'])
        state = recordToolResult(state, { ...failing, name, output: 'x'.repeat(1_000) });
    }
    expect(state.actions.map(({ turn }) => turn)).toEqual(
      Array.from({ length: 24 }, (_, index) => 3 + Math.floor(index / 2)),
    );
    expect(state.lastError).toBe(`${'x'.repeat(499)}…`);
  });

  it('stays bounded where no iteration is ever started', () => {
    let state = start(defaultAgentConfig);
    for (let call = 0; call < 300; call += 1) state = recordToolResult(state, failing);
    expect(state.actions.length).toBe(240);
  });
});
