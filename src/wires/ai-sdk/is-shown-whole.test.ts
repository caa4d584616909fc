import { describe, expect, it } from '@jest/globals';
import type { UIMessage } from 'ai';
import { isShownWhole } from './is-shown-whole.js';

type Part = UIMessage['parts'][number];

const asks: Part = {
  type: 'dynamic-tool',
  toolName: 'write',
  toolCallId: 'call_1',
  state: 'approval-requested',
  input: {},
  approval: { id: 'appr_1' },
};
const runsInPage: Part = {
  type: 'tool-pick',
  toolCallId: 'call_2',
  state: 'input-available',
  input: {},
};
const said: UIMessage = { id: 'u', role: 'user', parts: [], metadata: { turnId: 'turn_1' } };

const answer = (waitsFor: readonly string[], parts: Part[], turnId = 'turn_1'): UIMessage => ({
  id: `msg_${turnId}`,
  role: 'assistant',
  parts,
  metadata: { turnId, waitsFor },
});

describe('isShownWhole', () => {
  it.each<[string, UIMessage[], boolean]>([
    ['an answer that waits for an approval', [said, answer(['appr_1'], [asks])], true],
    ['one that waits, behind what was said next', [answer(['appr_1'], [asks]), said], true],
    ['one that waits for the page too', [answer(['appr_1', 'appr_2'], [asks, runsInPage])], false],
    ['one that goes on', [said, answer([], [asks])], false],
    ['one of another turn', [answer(['appr_1'], [asks], 'turn_0'), said], false],
    ['a turn that has no answer yet', [said], false],
    ['no messages', [], false],
  ])('of %s', (_what, messages, isWhole) => {
    expect(isShownWhole(messages, 'turn_1')).toBe(isWhole);
  });
});
