import { testTurn } from '../../../test/support/tools/test-turn.js';
import { describe, expect, it } from '@jest/globals';
import { defaultAgentConfig } from '../../governance/decision-tree/agent-config.js';
import {
  changeState,
  newAgentState,
  type AgentState,
} from '../../governance/decision-tree/agent-state.js';
import { DefaultDecisionTree } from '../../governance/decision-tree/decision-trees.js';
import { ToolFailure } from '../tool.js';
import { GuardedTree, guardTool } from './guards.js';
import type { ExtensionTool } from './extend.js';

const config = defaultAgentConfig;
const standard = new DefaultDecisionTree(config);
const begin = newAgentState({ userId: 'u', projectId: 'p', startTime: 1_000, config });
const failure = expect.objectContaining({ type: 'EXTENSION_FAILURE', status: 500 });

/** The standard tree with some members replaced, by values of any shape. */
function guard(change: Record<string, unknown>) {
  const faults: string[] = [];
  const made = {
    getConfig: () => config,
    onTurnStart: (state: AgentState) => standard.onTurnStart(state),
    onToolResult: (state: AgentState) => state,
    shouldContinue: (state: AgentState) => standard.shouldContinue(state),
    ...change,
  };
  const tree = new GuardedTree({
    extension: './x.mjs',
    name: 'mine',
    make: () => made,
    config,
    standard,
    onFault: (operation, error) => faults.push(`${operation}: ${(error as Error).message}`),
  });
  return { tree, faults };
}

describe('GuardedTree', () => {
  it('passes on what is well', () => {
    const answer = { shouldContinue: false, reason: 'enough', explanation: ' It is enough ' };
    const { tree, faults } = guard({ shouldContinue: () => answer });
    expect(tree.shouldContinue(begin)).toEqual({ ...answer, explanation: 'It is enough' });
    expect(guard({}).tree.shouldContinue(begin)).toEqual({
      shouldContinue: true,
      reason: 'continue',
    });
    expect(tree.onTurnStart(begin).turn).toBe(1);
    expect(faults).toEqual([]);
  });

  it.each([
    [undefined, 'the decision must be {shouldContinue, reason}'],
    [{ shouldContinue: 1 }, 'shouldContinue of the decision must be true or false'],
    [{ shouldContinue: false }, 'reason of the decision is required'],
    [{ shouldContinue: false, reason: 'Too long' }, 'reason of the decision must have'],
    [{ shouldContinue: false, reason: 'end_turn' }, 'is the server'],
    [{ shouldContinue: false, reason: 'completed' }, 'the turn is not completed'],
    [{ shouldContinue: false, reason: 'cancelled' }, "reason of the decision is the server's"],
    [
      { shouldContinue: false, reason: 'a', explanation: 1 },
      'explanation of the decision must be text',
    ],
    [Promise.resolve({ shouldContinue: true }), 'a promise'],
  ])('fails on the answer %j', (answer, fault) => {
    const { tree, faults } = guard({ shouldContinue: () => answer });
    expect(() => tree.shouldContinue(begin)).toThrow(failure);
    expect(faults).toEqual([expect.stringContaining(fault)]);
  });

  it('goes on with the standard state after a fault, and then ends the turn, telling it once', () => {
    const { tree, faults } = guard({ onTurnStart: () => ({ turn: Number.NaN }) });
    const state = tree.onTurnStart(tree.onTurnStart(begin));
    expect(state.turn).toBe(2);
    expect(() => tree.shouldContinue(state)).toThrow(failure);
    expect(() => tree.shouldContinue(state)).toThrow(failure);
    expect(faults).toEqual([expect.stringContaining('onTurnStart: turn must be 0 or more')]);
  });

  it('keeps what the server counts', () => {
    const spent = changeState(begin, { tokensUsed: 7, cost: { usedUsd: 1, limitUsd: 2 } });
    const onTurnStart = (state: AgentState): AgentState =>
      changeState(state, { tokensUsed: 0, cost: undefined, extensions: { kept: true } });
    expect(guard({ onTurnStart }).tree.onTurnStart(spent)).toMatchObject({
      tokensUsed: 7,
      cost: { usedUsd: 1, limitUsd: 2 },
      extensions: { kept: true },
    });
  });

  it.each([[undefined], [{ ...config, maxIterations: 0 }], [{ ...config, tokenBudget: '1' }]])(
    'runs with the standard limits until it ends where getConfig gives %j',
    (given) => {
      const { tree, faults } = guard({ getConfig: () => given });
      expect(tree.getConfig()).toEqual(config);
      expect(() => tree.shouldContinue(begin)).toThrow(failure);
      expect(faults).toHaveLength(1);
    },
  );
});

const call = {
  callId: 'c',
  idempotencyKey: 't:c',
  signal: new AbortController().signal,
  progress: () => undefined,
};

describe('guardTool', () => {
  const bytes = Buffer.from('bytes');
  const run = (output: unknown) => {
    const given = { name: 'shot', description: 'Takes one.', inputSchema: {}, run: () => output };
    // An extension is JavaScript: what it gives is not what its types say.
    const tool = guardTool(given as unknown as ExtensionTool, () => undefined);
    return tool.open({ turn: testTurn, workdir: '/' }).run({}, call);
  };

  it.each<[string, unknown, unknown]>([
    ['text', 'here', 'here'],
    [
      'texts and files of bytes',
      [
        { type: 'text', text: 'here' },
        { type: 'file', data: new Uint8Array(bytes), name: 'a.png' },
      ],
      [
        { type: 'text', text: 'here' },
        { type: 'file', bytes, name: 'a.png' },
      ],
    ],
    [
      'files in base64',
      [{ type: 'file', data: bytes.toString('base64') }],
      [{ type: 'file', bytes }],
    ],
  ])('takes %s', async (_what, output, taken) => {
    expect(await run(output)).toEqual(taken);
  });

  it.each([[3], [undefined], [{}], [[{ type: 'file' }]]])('fails for %j', async (output) => {
    await expect(run(output)).rejects.toThrow(ToolFailure);
  });
});
