import { describe, expect, it } from '@jest/globals';
import type { TurnEvent, TurnEventBody } from '../../events/turn-event.js';
import { noUsage } from '../../events/turn-event.js';
import { withoutTexts } from './without-texts.js';

const said = 'said';
const at = '2026-01-01T00:00:00.000Z';
const told = (body: TurnEventBody): TurnEvent => ({ ...body, attempt: 1, seq: 1, at });

/** Events in which everything that somebody may have written is the same word. */
const bodies: readonly TurnEventBody[] = [
  { type: 'text.delta', step: 1, text: said },
  { type: 'thinking.delta', step: 1, text: said },
  {
    type: 'source.cited',
    step: 1,
    source: { type: said, title: said, url: said, citedText: said },
  },
  { type: 'tool.args.delta', callId: 'c', json: said },
  { type: 'tool.started', callId: 'c', name: 'read', input: { file_path: said, more: [said] } },
  { type: 'tool.progress', callId: 'c', note: said, elapsedMs: 5 },
  {
    type: 'tool.ended',
    callId: 'c',
    name: 'read',
    status: 'success',
    output: said,
    durationMs: 1,
    files: [],
  },
  {
    type: 'approval.requested',
    approvalId: 'a',
    callId: 'c',
    name: 'bash',
    input: { command: said },
    kind: 'tool',
    reason: said,
    expiresAt: at,
    onTimeout: 'deny',
    question: { message: said },
  },
  {
    type: 'approval.resolved',
    approvalId: 'a',
    callId: 'c',
    decision: 'deny',
    by: 'bob',
    message: said,
    input: said,
  },
  { type: 'message.joined', messageId: 'm', afterStep: 1, text: said },
  { type: 'attachment.rejected', name: said, reason: said },
  {
    type: 'notice.posted',
    kind: 'k',
    level: 'step',
    text: said,
    metadata: { said },
    seenByModel: true,
  },
  {
    type: 'turn.failed',
    phase: 'mid-stream',
    errorType: 'SDK_FAILURE',
    message: said,
    status: 529,
    severity: 'error',
    fatal: true,
    details: { message: said },
    retryable: true,
  },
  {
    type: 'turn.ended',
    outcome: 'completed',
    exitCode: 0,
    reason: 'end_turn',
    text: said,
    usage: noUsage,
    durationMs: 5,
    output: { answer: said },
  },
];

describe('an event without texts', () => {
  it.each(bodies.map((body) => [body.type, told(body)] as const))(
    'has nothing of what was said: %s',
    (_type, event) => {
      const shown = withoutTexts(event);
      expect(JSON.stringify(shown)).not.toContain(`"${said}"`);
      expect(shown).toMatchObject({ type: event.type, attempt: 1, seq: 1, at });
      const nested = told({
        type: 'subagent.told',
        callId: 'c',
        childTurnId: 't',
        event,
      });
      expect(withoutTexts(nested)).toMatchObject({ childTurnId: 't', event: shown });
    },
  );

  it('keeps names, statuses, times and numbers', () => {
    const ended = withoutTexts(told(bodies.at(-1) ?? { type: 'step.started', step: 1 }));
    expect(ended).toMatchObject({ outcome: 'completed', reason: 'end_turn', durationMs: 5 });
    const call = withoutTexts(told({ type: 'tool.started', callId: 'c', name: 'read', input: 1 }));
    expect(call).toMatchObject({ callId: 'c', name: 'read', input: null });
  });
});
