import { describe, expect, it } from '@jest/globals';
import { compareFacts, sideNames, type ComparedTurn } from './compared-facts.js';

const left: ComparedTurn = {
  turnId: 'turn_1',
  sessionId: 'sess_1',
  status: 'completed',
  model: 'claude-a',
  agent: 'WRITER',
  outcome: 'completed',
  reason: 'completed',
  usage: { inputTokens: 1_000, outputTokens: 200, cacheReadTokens: 0, cacheWriteTokens: 0 },
  costUsd: 0.02,
  queuedMs: 0,
  firstTokenMs: 500,
  durationMs: 4_000,
  steps: 2,
  calls: 1,
  text: 'One',
  output: null,
};

const factOf = (right: ComparedTurn, label: string) =>
  compareFacts({ left, right, tools: [] }).find((fact) => fact.label === label);

describe('the facts of two turns', () => {
  it('say what is the same, and what differs by how much', () => {
    const right = { ...left, model: 'claude-b', costUsd: 0.005, durationMs: 6_000, queuedMs: 40 };
    expect(factOf(right, 'Agent')).toMatchObject({ right: 'WRITER', difference: 'same' });
    expect(factOf(right, 'Model')).toMatchObject({ difference: 'differs' });
    expect(factOf(right, 'Cost')).toEqual({
      label: 'Cost',
      left: '$0.0200',
      right: '$0.0050',
      difference: '−$0.0150 (−75 %)',
    });
    expect(factOf(right, 'Duration')).toMatchObject({ difference: '+2.0 s (+50 %)' });
    expect(factOf(right, 'Time queued')).toMatchObject({ difference: '+40 ms' });
    expect(factOf(right, 'Input tokens')).toMatchObject({ left: '1,000', difference: 'same' });
  });

  it('are left out where neither turn knows them, and open where one does not', () => {
    expect(factOf(left, 'Calls without a recorded result')).toBeUndefined();
    const right: ComparedTurn = {
      ...left,
      status: 'running',
      outcome: null,
      reason: null,
      usage: null,
      costUsd: null,
      durationMs: null,
      recorded: { hits: 1, misses: 2 },
    };
    expect(factOf(right, 'Outcome')).toMatchObject({ right: 'running', difference: 'differs' });
    expect(factOf(right, 'Cost')).toMatchObject({ right: '–', difference: '' });
    expect(factOf(right, 'Calls without a recorded result')).toMatchObject({ right: '2' });
  });

  it('name the limit that ended a turn', () => {
    const right: ComparedTurn = { ...left, outcome: 'limited', reason: 'max_turns' };
    expect(factOf(right, 'Outcome')).toMatchObject({ right: 'limited (max turns)' });
  });
});

describe('the names of two turns', () => {
  it.each([
    [{}, { left: 'Left', right: 'Right' }],
    [{ replayOf: 'turn_1' }, { left: 'Recorded', right: 'Replay' }],
    [{ replayOf: 'turn_9' }, { left: 'Left', right: 'Right' }],
  ])('of a right one with %j are %j', (more, names) => {
    const right = { ...left, turnId: 'turn_2', ...more };
    expect(sideNames({ left, right, tools: [] })).toEqual(names);
    const turned = { left: names.right, right: names.left };
    const isReplay = names.left === 'Recorded';
    expect(sideNames({ left: right, right: left, tools: [] })).toEqual(isReplay ? turned : names);
  });
});
