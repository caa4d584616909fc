import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { defaultAgentConfig } from './agent-config.js';
import {
  changeState,
  moveTime,
  newAgentState,
  type ActionRecord,
  type AgentState,
  type AgentStateChange,
} from './agent-state.js';
import { DefaultDecisionTree } from './decision-trees.js';

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
