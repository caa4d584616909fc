import { describe, expect, it } from '@jest/globals';
import type { MessageDto, MessagePart } from '../../../../src/turn/history/messages.dto.js';
import { turnsOfMessages } from './view-messages.js';

const usage = { inputTokens: 1, outputTokens: 1, cacheReadTokens: 0, cacheWriteTokens: 0 };

/** The shown items of a reply of one step. */
function shown(parts: MessagePart[]) {
  const message: MessageDto = {
    messageId: 'msg_1',
    turnId: 'turn_1',
    role: 'assistant',
    status: 'complete',
    createdAt: '2026-01-01T00:00:00.000Z',
    parts,
    steps: [
      {
        stepId: 'step_1',
        step: 1,
        status: 'completed',
        stopReason: 'end_turn',
        usage,
        startedAt: '2026-01-01T00:00:00.000Z',
        endedAt: '2026-01-01T00:00:01.000Z',
        parts,
        notices: [],
      },
    ],
  };
  return turnsOfMessages([message])[0]?.view.items.map((item) =>
    item.kind === 'text' ? item.text : item.kind,
  );
}

const text = (of: string): MessagePart => ({ type: 'text', text: of });

describe('turnsOfMessages', () => {
  it('shows a text that citations cut as it was streamed, as one', () => {
    const thinking: MessagePart = { type: 'thinking', text: 'Hm.' };
    expect(shown([text('Paris'), text(' is the capital'), text('.')])).toEqual([
      'Paris is the capital.',
    ]);
    expect(shown([text('One.'), thinking, text('Two.')])).toEqual(['One.', 'thinking', 'Two.']);
  });
});
