import { describe, expect, it } from '@jest/globals';
import { ToolFailure } from '../../tools/tool.js';
import { answerOf } from './delegator.js';

const child = { agent: 'reader', id: 'turn_1' };

describe('the answer of a subagent', () => {
  it.each([
    ['that is done', { outcome: 'completed', reason: 'end_turn', text: 'Found.' }, 'Found.'],
    [
      'that says nothing',
      { outcome: 'completed', reason: 'end_turn', text: '' },
      'reader is done and says nothing.',
    ],
    [
      'that reached a limit of its own',
      { outcome: 'limited', reason: 'max_turns', text: 'Half of it.' },
      'reader ended at a limit of its own (max_turns). What it has found so far:\n\nHalf of it.',
    ],
  ] as const)('%s is a result', (_name, end, answer) => {
    expect(answerOf(child, end)).toBe(answer);
  });

  it.each([
    ['that was refused', 'limited', 'refusal', 'I'],
    ['that failed', 'failed', 'SDK_FAILURE', 'Half'],
    ['that was interrupted', 'interrupted', 'parent-ended', 'Half'],
    ['that has nothing', 'limited', 'timeout', ''],
  ] as const)('%s is a failure', (_name, outcome, reason, text) => {
    expect(() => answerOf(child, { outcome, reason, text })).toThrow(ToolFailure);
  });
});
