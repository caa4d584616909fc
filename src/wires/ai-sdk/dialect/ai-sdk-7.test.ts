import { describe, expect, it } from '@jest/globals';
import type { UIMessageChunk } from 'ai';
import { readUiMessage } from '../../../../test/support/clients/read-ui-message.js';
import {
  noUsage,
  type EventOf,
  type TurnEvent,
  type TurnEventBody,
} from '../../../events/turn-event.js';
import { TurnEncoder } from '../../framing/turn-encoder.js';
import { aiSdkDialect, type AiSdkRange } from './ai-sdk.js';
import { splitCursor } from './ai-sdk-version.js';

interface Wanted extends Partial<AiSdkRange> {
  messageId?: string;
}

function chunksOf(events: readonly TurnEvent[], wanted: Wanted = {}): UIMessageChunk[] {
  const { messageId = 'msg_1', ...given } = wanted;
  const range: AiSdkRange = { answered: [], from: 'turn', clientTools: [], version: '7', ...given };
  const ids = { sessionId: 'sess_1', turnId: 'turn_1', messageId };
  const encoder = new TurnEncoder(aiSdkDialect(ids, range), 'turn_1');
  return events
    .flatMap((event) => encoder.encode(event))
    .filter(({ data }) => data !== '[DONE]')
    .map(({ data }) => JSON.parse(data) as UIMessageChunk);
}

function log(...bodies: TurnEventBody[]): TurnEvent[] {
  return bodies.map((body, index) => ({ ...body, attempt: 1, seq: index + 1, at: '' }));
}

const typesOf = (chunks: readonly UIMessageChunk[]): string[] => chunks.map(({ type }) => type);
const stepStarted = (step: number): TurnEventBody => ({ type: 'step.started', step });
const text = (step: number, said: string): TurnEventBody => ({
  type: 'text.delta',
  step,
  text: said,
});
const stepEnded = (step: number): TurnEventBody => ({
  type: 'step.ended',
  step,
  stopReason: 'end_turn',
  usage: { ...noUsage, inputTokens: 9 },
});
const discarded = (step: number): TurnEventBody => ({ type: 'step.discarded', step });
const notice: TurnEventBody = {
  type: 'notice.posted',
  kind: 'budget',
  level: 'step',
  text: 'Half',
  seenByModel: true,
};
const joined: TurnEventBody = {
  type: 'message.joined',
  messageId: 'msg_2',
  afterStep: 1,
  text: 'And this',
};

describe('a step that is taken back in version 7', () => {
  it('is gone from the message, and what is said of the turn stays in it', async () => {
    const events = log(
      stepStarted(1),
      text(1, 'Look.'),
      stepEnded(1),
      stepStarted(2),
      text(2, 'Half a'),
      { type: 'tool.requested', step: 2, callId: 'c1', name: 'read' },
      notice,
      { type: 'turn.recovering', reason: 'the process stopped' },
      discarded(2),
      stepStarted(2),
      text(2, 'Half a loaf.'),
    );
    const message = await readUiMessage('7', chunksOf(events));
    expect(message?.parts).toMatchObject([
      { type: 'step-start' },
      { type: 'text', text: 'Look.' },
      { type: 'data-context' },
      { type: 'step-start' },
      { type: 'data-notice' },
      { type: 'data-recovering' },
      { type: 'step-start' },
      { type: 'text', text: 'Half a loaf.' },
    ]);
    expect(message?.metadata).toMatchObject({ discarded: ['text-2-1', 'c1'] });
  });

  it('of which the message has nothing takes none of the step before it', async () => {
    const events = log(stepStarted(1), text(1, 'Look.'), stepEnded(1), discarded(2));
    expect(typesOf(chunksOf(events))).not.toContain('reset-step');
    const message = await readUiMessage('7', chunksOf(events));
    expect(message?.parts).toContainEqual(expect.objectContaining({ text: 'Look.' }));
  });

  it('takes none of a message that was steered into the turn after it had begun', () => {
    const events = log(stepStarted(1), joined, discarded(1), stepStarted(1), discarded(1));
    const steered = { from: { steered: 'msg_2', asks: [] }, messageId: 'msg_1:msg_2' };
    expect(typesOf(chunksOf(events, steered))).toEqual([
      'start',
      'data-joined',
      'finish-step',
      'message-metadata',
      'start-step',
      'finish-step',
      'reset-step',
      'message-metadata',
    ]);
  });
});

const requested = (callId: string): TurnEventBody => ({
  type: 'tool.requested',
  step: 1,
  callId,
  name: 'write',
});
const asked = (callId: string, kind: 'tool' | 'client-tool' = 'tool'): TurnEventBody => ({
  type: 'approval.requested',
  approvalId: `appr_${callId}`,
  callId,
  name: 'write',
  input: {},
  kind,
  reason: 'A rule asks',
  expiresAt: '',
  onTimeout: 'deny',
});
const parked = (...callIds: string[]): TurnEventBody => ({
  type: 'turn.parked',
  approvalIds: callIds.map((callId) => `appr_${callId}`),
});
const resolved = (
  callId: string,
  more: Partial<EventOf<'approval.resolved'>> = {},
): TurnEventBody => ({
  type: 'approval.resolved',
  approvalId: `appr_${callId}`,
  callId,
  decision: 'approve',
  by: 'ann',
  ...more,
});

describe('an approval in version 7', () => {
  const waiting = [stepStarted(1), requested('a'), requested('b'), asked('a'), asked('b')];
  const toldOf = (chunks: readonly UIMessageChunk[]) =>
    chunks.filter(
      ({ type }) => type === 'tool-approval-request' || type === 'tool-approval-response',
    );

  it('is told with its reason, and an answer that was given elsewhere', async () => {
    const deny = resolved('b', { decision: 'deny', message: 'No' });
    const events = log(...waiting, parked('a', 'b'), resolved('a'), deny);
    const answered = ['appr_a', 'appr_b'];
    const chunks = chunksOf(events, { answered });
    expect(toldOf(chunks)).toEqual([
      expect.objectContaining({ toolCallId: 'a', approvalId: 'appr_a', reason: 'A rule asks' }),
      expect.objectContaining({ toolCallId: 'b', approvalId: 'appr_b' }),
      { type: 'tool-approval-response', approvalId: 'appr_a', approved: true },
      { type: 'tool-approval-response', approvalId: 'appr_b', approved: false, reason: 'No' },
    ]);
    expect((await readUiMessage('7', chunks))?.parts).toContainEqual(
      expect.objectContaining({
        state: 'approval-responded',
        approval: { id: 'appr_b', requestReason: 'A rule asks', approved: false, reason: 'No' },
      }),
    );
    const own = { answered: ['appr_a'], from: 'answers' } as const;
    expect(toldOf(chunksOf(events, own))).toEqual([
      expect.objectContaining({ approvalId: 'appr_b', approved: false }),
    ]);
  });

  it('that nobody answered is said to be automatic', async () => {
    const late = resolved('a', { decision: 'deny', by: 'deadline' });
    const chunks = chunksOf(log(...waiting, late));
    expect(toldOf(chunks).slice(2)).toEqual([
      expect.objectContaining({
        type: 'tool-approval-request',
        toolCallId: 'a',
        isAutomatic: true,
      }),
      { type: 'tool-approval-response', approvalId: 'appr_a', approved: false },
    ]);
    const message = await readUiMessage('7', chunks);
    expect(message?.parts).toContainEqual(
      expect.objectContaining({
        approval: expect.objectContaining({ isAutomatic: true, approved: false }),
      }),
    );
  });

  it('has no answer where its question was closed, or is the client’s own', () => {
    const closed = resolved('a', { decision: 'cancelled', by: 'server' });
    expect(toldOf(chunksOf(log(...waiting, closed)))).toHaveLength(2);
    const ofClient = log(stepStarted(1), requested('a'), asked('a', 'client-tool'), resolved('a'));
    expect(toldOf(chunksOf(ofClient, { clientTools: ['write'] }))).toEqual([]);
  });

  it('has no answer in a message that does not ask for it', async () => {
    const events = log(...waiting, joined, resolved('a'), resolved('b'));
    const steered = { from: { steered: 'msg_2', asks: [] }, messageId: 'msg_1:msg_2' };
    expect(toldOf(chunksOf(events, steered))).toEqual([]);
  });

  it('that is asked again in another message is answered there, under its id there', () => {
    const events = log(
      ...waiting,
      parked('a', 'b'),
      resolved('a'),
      resolved('b'),
      asked('b'),
      resolved('b'),
    );
    const messageId = 'msg_1:msg_2';
    const range = { answered: ['appr_a'], from: 'answers', messageId } as const;
    expect(toldOf(chunksOf(events, range))).toEqual([
      expect.objectContaining({ approvalId: 'appr_b:msg_2', toolCallId: 'b:msg_2' }),
      { type: 'tool-approval-response', approvalId: 'appr_b:msg_2', approved: true },
    ]);
  });
});

describe('version 7 of the AI SDK wire', () => {
  it('has the sources of a text at its end', async () => {
    const url = 'https://a.example/';
    const source = { type: 'web', title: 'A', url, citedText: 'a loaf' };
    const document = { type: 'file', title: 'b.md' };
    const events = log(
      stepStarted(1),
      { type: 'thinking.delta', step: 1, text: 'Hm' },
      { type: 'source.cited', step: 1, source },
      text(1, 'A loaf.'),
      { type: 'source.cited', step: 1, source: document },
      stepEnded(1),
      stepStarted(2),
      text(2, 'No more.'),
      stepEnded(2),
    );
    const message = await readUiMessage('7', chunksOf(events));
    const texts = message?.parts.filter(({ type }) => type === 'text');
    expect(texts).toEqual([
      expect.objectContaining({
        text: 'A loaf.',
        citations: [
          {
            source: { type: 'source', sourceType: 'url', id: 'source-1-2', url, title: 'A' },
            citedText: 'a loaf',
          },
          { source: expect.objectContaining({ sourceType: 'document', title: 'b.md' }) },
        ],
      }),
      expect.not.objectContaining({ citations: expect.anything() }),
    ]);
  });

  it('has a steered message as one where that is wanted, but in the answer to it', () => {
    const events = log(stepStarted(1), stepEnded(1), joined, stepStarted(2));
    const steering = { version: '7-steering' } as const;
    expect(chunksOf(events, steering)).toContainEqual({
      type: 'steering-message',
      id: 'msg_2',
      parts: [{ type: 'text', text: 'And this' }],
    });
    expect(typesOf(chunksOf(events))).toContain('data-joined');
    const own = { from: { steered: 'msg_2', asks: [] }, messageId: 'msg_1:msg_2' };
    expect(typesOf(chunksOf(events, { ...steering, ...own }))).toContain('data-joined');
  });
});

describe('the version of a stream', () => {
  it('is in the ids of its frames', () => {
    const cursor = 'turn_1:1.2';
    expect(splitCursor(cursor)).toEqual({ version: '6', cursor });
    expect(splitCursor(`7;${cursor}`)).toEqual({ version: '7', cursor });
    expect(splitCursor(`7-steering;${cursor}`)).toEqual({ version: '7-steering', cursor });
  });
});
