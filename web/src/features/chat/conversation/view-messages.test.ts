import { describe, expect, it } from '@jest/globals';
import type { MessageDto, MessagePart, StepDto } from '#src/turn/history/messages.dto.js';
import { turnsOfMessages } from './view-messages.js';

const usage = { inputTokens: 1, outputTokens: 1, cacheReadTokens: 0, cacheWriteTokens: 0 };

const at = '2026-01-01T00:00:00.000Z';

const step = (number: number, parts: MessagePart[]): StepDto => ({
  stepId: `step_${number}`,
  step: number,
  status: 'completed',
  stopReason: 'end_turn',
  usage,
  startedAt: at,
  endedAt: at,
  parts,
  notices: [],
});

const message = (more: Partial<MessageDto>): MessageDto => ({
  messageId: 'msg_1',
  turnId: 'turn_1',
  role: 'user',
  status: 'complete',
  createdAt: at,
  parts: [],
  ...more,
});

const reply = (steps: StepDto[], more: Partial<MessageDto> = {}): MessageDto => {
  const parts = steps.flatMap((one) => one.parts);
  return message({ role: 'assistant', parts, steps, ...more });
};

const viewOf = (...messages: MessageDto[]) => turnsOfMessages(messages)[0]?.view;

/** The shown items of a turn: its texts, and the kinds of all others. */
function shown(...messages: MessageDto[]) {
  return viewOf(...messages)?.items.map((item) => (item.kind === 'text' ? item.text : item.kind));
}

const text = (of: string): MessagePart => ({ type: 'text', text: of });

describe('turnsOfMessages', () => {
  it('shows a text that citations cut as it was streamed, as one', () => {
    const thinking: MessagePart = { type: 'thinking', text: 'Hm.' };
    const cut = [text('Paris'), text(' is the capital'), text('.')];
    expect(shown(reply([step(1, cut)]))).toEqual(['Paris is the capital.']);
    const parts = [text('One.'), thinking, text('Two.')];
    expect(shown(reply([step(1, parts)]))).toEqual(['One.', 'thinking', 'Two.']);
  });

  it('shows a message that was steered into a turn after the step that it waited for', () => {
    const asked = message({ parts: [text('Go')] });
    const steered = message({ messageId: 'msg_2', parts: [text('Stop')], afterStep: 1 });
    const steps = [step(1, [text('One.')]), step(2, [text('Two.')])];
    expect(shown(asked, steered, reply(steps))).toEqual(['One.', 'steered', 'Two.']);
    expect(turnsOfMessages([asked, steered])[0]?.user.text).toBe('Go');
  });

  it('shows a call with what it came to, and the note of a limit behind the last step', () => {
    const call = { type: 'tool' as const, toolUseId: 'c1', name: 'read', input: { path: 'a' } };
    const ended = step(1, [{ ...call, status: 'denied', output: 'No.' }]);
    const open = step(2, [{ ...call, toolUseId: 'c2', status: 'claimed', output: null }]);
    const view = viewOf(
      reply([ended, open], { status: 'cut', parts: [text(''), text(''), text('Enough.')] }),
    );
    expect(view?.items).toMatchObject([
      { key: 'c1', step: 1, status: 'denied', input: { path: 'a' }, output: 'No.' },
      { key: 'c2', step: 2, status: 'requested', json: '{"path":"a"}' },
      { kind: 'text', step: 2, text: 'Enough.', isOpen: false },
    ]);
    expect(view).toMatchObject({ phase: 'ended', step: 2, stepsDone: 2, contextTokens: 2 });
    expect(view?.outcome).toBeUndefined();
  });

  it('tells a turn that runs from one that is complete', () => {
    const steps = [step(1, [text('One.')])];
    expect(viewOf(reply(steps, { status: 'active' }))).toMatchObject({ phase: 'running' });
    expect(viewOf(reply(steps))).toMatchObject({ phase: 'ended', outcome: 'completed', usage });
    expect(viewOf(message({}))).toMatchObject({ phase: 'queued', items: [] });
  });
});
