import { describe, expect, it } from '@jest/globals';
import { defaultAgentConfig } from './agent-config.js';
import type { AgentConfig } from '../../storage/shapes/stored-options.js';
import { changeState, newAgentState, type AgentState } from './agent-state.js';
import {
  type Continuation,
  type DecisionTree,
  type ToolResult,
  DecisionTrees,
  DefaultDecisionTree,
  recordToolResult,
} from './decision-trees.js';

/** A custom tree: runs twice as long, and stops at the first tool result that asks for it. */
class PatientTree implements DecisionTree {
  readonly #rest: DefaultDecisionTree;

  constructor(config: AgentConfig) {
    this.#rest = new DefaultDecisionTree({ ...config, maxIterations: config.maxIterations * 2 });
  }

  shouldContinue(state: AgentState): Continuation {
    if (state.extensions['enough'] === true) return { shouldContinue: false, reason: 'completed' };
    return this.#rest.shouldContinue(state);
  }

  onTurnStart(state: AgentState): AgentState {
    return this.#rest.onTurnStart(state);
  }

  onToolResult(state: AgentState, result: ToolResult): AgentState {
    const enough = result.output === 'enough';
    return changeState(recordToolResult(state, result), { extensions: { enough } });
  }

  getConfig(): AgentConfig {
    return this.#rest.getConfig();
  }
}

/** A loop that uses the interface alone. Returns the iterations and the reason. */
function run(tree: DecisionTree, answer: (turn: number) => string): [number, string] {
  const config = tree.getConfig();
  let state = newAgentState({ userId: 'u', projectId: 'p', startTime: 0, config });
  for (;;) {
    const { shouldContinue, reason } = tree.shouldContinue(state);
    if (!shouldContinue) return [state.turn, reason];
    state = tree.onTurnStart(state);
    const output = answer(state.turn);
    state = tree.onToolResult(state, { name: 'read', input: {}, output, isError: false });
  }
}

describe('DecisionTrees', () => {
  it('has the default tree', () => {
    const tree = new DecisionTrees().find('default', defaultAgentConfig);
    expect(tree).toBeInstanceOf(DefaultDecisionTree);
    expect(tree.getConfig()).toEqual(defaultAgentConfig);
    expect(run(tree, (turn) => `${turn}`)).toEqual([15, 'max_iterations']);
    expect(run(tree, () => 'the same')).toEqual([3, 'no_progress']);
  });

  it('runs a tree that was plugged in, by the same loop', () => {
    const trees = new DecisionTrees();
    trees.register('patient', (config) => new PatientTree(config));
    const tree = trees.find('patient', defaultAgentConfig);
    expect(run(tree, (turn) => `${turn}`)).toEqual([30, 'max_iterations']);
    expect(run(tree, (turn) => (turn === 4 ? 'enough' : `${turn}`))).toEqual([4, 'completed']);
  });

  it('names the trees there are when asked for another', () => {
    const trees = new DecisionTrees();
    trees.register('patient', (config) => new PatientTree(config));
    expect(() => trees.assertUsable('patient', defaultAgentConfig)).not.toThrow();
    expect(() => trees.assertUsable('Patient', defaultAgentConfig)).toThrow(
      expect.objectContaining({
        type: 'DECISION_TREE_NOT_FOUND',
        status: 500,
        message:
          'There is no decision tree "Patient". Use one of: default, patient; or register it before the server starts.',
        details: { name: 'Patient', known: ['default', 'patient'] },
      }),
    );
  });

  it('gives the default tree for one that this process does not have', () => {
    const tree = new DecisionTrees().find('patient', defaultAgentConfig);
    expect(tree).toBeInstanceOf(DefaultDecisionTree);
  });

  it('takes a name once', () => {
    const trees = new DecisionTrees();
    expect(() => trees.register('default', (config) => new PatientTree(config))).toThrow(
      'A decision tree "default" is registered already',
    );
  });
});
