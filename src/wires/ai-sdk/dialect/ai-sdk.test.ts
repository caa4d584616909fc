import { describe, expect, it } from '@jest/globals';
import type { UIMessage, UIMessageChunk } from 'ai';
import { recordedTurns, testRecordedStreams, waitsOf } from '../../../../test/golden/golden.js';
import { aiPackages, readUiMessage } from '../../../../test/support/clients/read-ui-message.js';
import { parseCursor } from '../../../events/cursor.js';
import { noUsage, type TurnEvent, type TurnEventBody } from '../../../events/turn-event.js';
import type { FrameWithCursor } from '../../framing/dialect.js';
import { TurnEncoder } from '../../framing/turn-encoder.js';
import type { AiSdkRange } from './ai-sdk.js';
import { aiSdkDialect } from './ai-sdk.js';
import { splitCursor, type AiSdkVersion } from './ai-sdk-version.js';

const ids = { sessionId: 'sess_1', turnId: 'turn_1', messageId: 'msg_1' };

interface Wanted extends Partial<AiSdkRange> {
  after?: string;
}

function encode(events: readonly TurnEvent[], wanted: Wanted = {}): FrameWithCursor[] {
  const { after, ...range } = wanted;
  const cursor =
    after === undefined ? undefined : parseCursor(ids.turnId, splitCursor(after).cursor);
  const whole = {
    answered: [],
    from: 'turn' as const,
    clientTools: ['pick_color'],
    version: '6' as const,
    ...range,
  };
  const encoder = new TurnEncoder(aiSdkDialect(ids, whole), ids.turnId, cursor);
  return events.flatMap((event) => encoder.encode(event));
}

const chunksOf = (frames: readonly FrameWithCursor[]): UIMessageChunk[] =>
  frames
    .filter(({ data }) => data !== '[DONE]')
    .map(({ data }) => JSON.parse(data) as UIMessageChunk);

/** One message over all segments, of a client that runs its own tools between two. */
async function readSegments(
  version: AiSdkVersion,
  segments: readonly (readonly FrameWithCursor[])[],
  failed: readonly string[] = [],
): Promise<UIMessage | undefined> {
  let message: UIMessage | undefined;
  for (const frames of segments) {
    message = await readUiMessage(version, chunksOf(frames), message);
    message?.parts.forEach((part) => {
      if (part.type !== 'tool-pick_color' || !('state' in part)) return;
      if (part.state !== 'input-available') return;
      const isFailed = failed.includes(part.toolCallId);
      Object.assign(part, { state: isFailed ? 'output-error' : 'output-available' });
    });
  }
  return message;
}

/** Each version's recorded streams, and the packages that know its chunks; `test/interop` has older ones. */
const versions = [
  { version: '6', golden: 'ai-sdk', packages: [aiPackages['6'], aiPackages['7']] },
  { version: '7', golden: 'ai-sdk-7', packages: [aiPackages['7']] },
  { version: '7-steering', golden: 'ai-sdk-7-steering', packages: [aiPackages['7']] },
] as const;

/** A stream with steering differs from the one without only where a message joined the turn. */
const cases = versions.flatMap((one) =>
  recordedTurns()
    .filter(([, events]) => one.version !== '7-steering' || events.some(isJoin))
    .map(([name, events]) => ({ ...one, name, events })),
);

function isJoin({ type }: TurnEvent): boolean {
  return type === 'message.joined';
}

describe.each(cases)('version $version of the AI SDK wire of $name', (one) => {
  const { version, golden, packages, name, events } = one;
  const { lastAssistantMessageIsCompleteWithApprovalResponses: isCompleteWithApprovals } =
    aiPackages[version];
  const { lastAssistantMessageIsCompleteWithToolCalls: isCompleteWithCalls } = aiPackages[version];
  const waits = waitsOf(events);
  const ranges: Wanted[] = [
    { version },
    ...waits.map((answered): Wanted => ({ version, answered, from: 'answers' })),
  ];
  const segments = ranges.map((range) => encode(events, range));
  testRecordedStreams(
    `${golden}/${name}`,
    ranges.map((range, index) => ({
      frames: segments[index] ?? [],
      resume: (after) => encode(events, { ...range, after }),
    })),
  );

  it('has chunks that its packages know', async () => {
    const schemas = packages.map(({ uiMessageChunkSchema }) => uiMessageChunkSchema());
    for (const frames of segments) {
      for (const frame of frames) expect(frame.event).toBeUndefined();
      for (const chunk of chunksOf(frames)) {
        for (const schema of schemas) {
          expect(await schema.validate?.(chunk)).toMatchObject({ success: true });
        }
      }
    }
  });

  it('ends each text and thought before its step', () => {
    for (const frames of segments) {
      const open = new Set<string>();
      for (const chunk of chunksOf(frames)) {
        if (chunk.type === 'text-start' || chunk.type === 'reasoning-start') open.add(chunk.id);
        if (chunk.type === 'text-end' || chunk.type === 'reasoning-end') open.delete(chunk.id);
        if (chunk.type === 'finish-step' || chunk.type === 'finish') expect([...open]).toEqual([]);
      }
    }
  });

  it('begins each segment with start, and ends it with [DONE]', () => {
    for (const frames of segments) {
      const chunks = chunksOf(frames);
      const starts = chunks.filter(({ type }) => type === 'start');
      expect(starts).toEqual([expect.objectContaining({ messageId: 'msg_1' })]);
      expect(chunks[0]).toBe(starts[0]);
      expect(['finish', 'abort']).toContain(chunks.at(-1)?.type);
      expect(frames.filter(({ data }) => data === '[DONE]')).toEqual(frames.slice(-1));
    }
  });

  it('is read by the package to its end, and leaves nothing that a client would wait for', async () => {
    const message = await readSegments(version, segments);
    expect(message?.id).toBe('msg_1');
    for (const part of message?.parts ?? []) {
      if (!('state' in part)) continue;
      expect(['done', 'output-available', 'output-error', 'output-denied']).toContain(part.state);
    }
    // The package's helpers would send such a message again, and again.
    const messages = message === undefined ? [] : [message];
    expect(isCompleteWithCalls({ messages })).toBe(false);
    expect(isCompleteWithApprovals({ messages })).toBe(false);
  });

  it('is the same message for who comes back and reads it from its start', async () => {
    const shownParts = (message: UIMessage | undefined) =>
      message?.parts.map((part) => [
        part.type,
        'text' in part ? part.text : '',
        'state' in part ? part.state : '',
      ]);
    const whole = await readSegments(version, [
      encode(events, { version, answered: waits.flat() }),
    ]);
    const failed = events.flatMap((event) =>
      event.type === 'tool.ended' && event.status === 'error' ? event.callId : [],
    );
    expect(shownParts(whole)).toEqual(shownParts(await readSegments(version, segments, failed)));
  });
});

function log(...bodies: TurnEventBody[]): TurnEvent[] {
  return bodies.map((body, index) => ({ ...body, attempt: 1, seq: index + 1, at: '' }));
}

const requested = (callId: string, name: string): TurnEventBody => ({
  type: 'tool.requested',
  step: 1,
  callId,
  name,
});

const asked = (
  callId: string,
  kind: 'tool' | 'client-tool',
): Extract<TurnEventBody, { type: 'approval.requested' }> => ({
  type: 'approval.requested',
  approvalId: `appr_${callId}`,
  callId,
  name: kind === 'tool' ? 'write' : 'pick_color',
  input: { of: callId },
  kind,
  reason: '',
  expiresAt: '',
  onTimeout: 'deny',
});

const resolved = (callId: string, decision: 'approve' | 'answer' | 'deny'): TurnEventBody => ({
  type: 'approval.resolved',
  approvalId: `appr_${callId}`,
  callId,
  decision,
  by: 'ann',
});

const ended = (callId: string, more: object = {}): TurnEventBody => ({
  type: 'tool.ended',
  callId,
  name: 'any',
  status: 'success',
  output: 'done',
  durationMs: 1,
  ...more,
});

const turnEnded = (more: object = {}): TurnEventBody => ({
  type: 'turn.ended',
  outcome: 'completed',
  exitCode: 0,
  reason: 'end_turn',
  text: '',
  usage: noUsage,
  durationMs: 1,
  ...more,
});

const stepStarted: TurnEventBody = { type: 'step.started', step: 1 };

const {
  lastAssistantMessageIsCompleteWithApprovalResponses: isCompleteWithApprovals,
  lastAssistantMessageIsCompleteWithToolCalls: isCompleteWithCalls,
} = aiPackages['6'];

describe('calls on the AI SDK wire', () => {
  const parked = (...callIds: string[]): TurnEventBody => ({
    type: 'turn.parked',
    approvalIds: callIds.map((callId) => `appr_${callId}`),
  });
  const question = [stepStarted, requested('a', 'write'), requested('b', 'pick_color')];
  const both = [...question, asked('a', 'tool'), asked('b', 'client-tool'), parked('a', 'b')];

  it('say who decides where a rule does', () => {
    const awaits = [{ by: ['release'], count: 2, notRequester: true }];
    const chunks = chunksOf(encode(log(...question, { ...asked('a', 'tool'), awaits })));
    expect(chunks).toContainEqual({
      type: 'data-approval',
      id: 'appr_a',
      data: expect.objectContaining({ status: 'pending', awaits }),
    });
  });

  it('are not complete for the client while one of them waits for a person', async () => {
    const message = await readUiMessage('6', chunksOf(encode(log(...both))));
    expect(message).toBeDefined();
    if (message === undefined) return;
    for (const part of message.parts) {
      if (part.type === 'tool-pick_color') Object.assign(part, { state: 'output-available' });
    }
    expect(isCompleteWithCalls({ messages: [message] })).toBe(false);
    for (const part of message.parts) {
      if (part.type === 'dynamic-tool') Object.assign(part, { state: 'approval-responded' });
    }
    expect(isCompleteWithCalls({ messages: [message] })).toBe(false);
    expect(isCompleteWithApprovals({ messages: [message] })).toBe(true);
  });

  it('that only go on after a person’s answer keep no client from sending it', async () => {
    const later = [...question, requested('c', 'glob'), asked('a', 'tool'), parked('a')];
    const asking = await readUiMessage('6', chunksOf(encode(log(...later))));
    const first = asking?.parts.find((part) => part.type === 'dynamic-tool');
    Object.assign(first ?? {}, { state: 'approval-responded' });
    const messages = asking === undefined ? [] : [asking];
    expect(isCompleteWithApprovals({ messages })).toBe(true);
    expect(isCompleteWithCalls({ messages })).toBe(false);
    // Nobody takes it for what the client gave.
    expect(asking?.parts).toContainEqual(
      expect.objectContaining({ type: 'tool-pick_color', providerExecuted: true }),
    );
    const goesOn = [resolved('a', 'approve'), ended('a'), asked('b', 'client-tool'), parked('b')];
    const range = { answered: ['appr_a'], from: 'answers' } as const;
    const frames = encode(log(...later, ...goesOn), range);
    const waiting = await readUiMessage('6', chunksOf(frames), asking);
    expect(waiting?.parts).toContainEqual(
      expect.objectContaining({
        type: 'tool-pick_color',
        state: 'input-available',
        providerExecuted: false,
      }),
    );
  });

  it('of the client have its own output for who gave it, and as it was stored for others', () => {
    const output = '{"color":"red"}';
    const events = log(...both, resolved('b', 'answer'), ended('b', { output }), turnEnded());
    const outputsOf = (range: Wanted) =>
      chunksOf(encode(events, range)).filter(({ type }) => type === 'tool-output-available');
    expect(outputsOf({ answered: ['appr_b'], from: 'answers' })).toEqual([]);
    expect(outputsOf({ answered: ['appr_a'], from: 'answers' })).toEqual([
      { type: 'tool-output-available', toolCallId: 'b', output: { color: 'red' } },
    ]);
    expect(outputsOf({ answered: ['appr_b'] })).toHaveLength(1);
  });
});

describe('a subagent on the AI SDK wire', () => {
  const childEvent = (event: TurnEventBody): TurnEventBody => ({
    type: 'subagent.told',
    callId: 'a',
    childTurnId: 'turn_2',
    event: { ...event, attempt: 1, seq: 1, at: '' },
  });

  it('is one part that is said again now and then, with the newest of its text', async () => {
    const text = 'word '.repeat(1_000);
    const deltas = Array.from({ length: 1_000 }, () =>
      childEvent({ type: 'text.delta', step: 1, text: 'word ' }),
    );
    const begun: TurnEventBody = {
      type: 'subagent.started',
      callId: 'a',
      childTurnId: 'turn_2',
      agent: 'REVIEWER',
    };
    const frames = encode(log(stepStarted, requested('a', 'task'), begun, ...deltas, turnEnded()));
    const sent = chunksOf(frames).filter(({ type }) => type === 'data-subagent');
    expect(sent.length).toBeLessThanOrEqual(text.length / 200 + 1);
    const message = await readUiMessage('6', chunksOf(frames));
    expect(message?.parts.filter(({ type }) => type === 'data-subagent')).toMatchObject([
      { id: 'turn_2', data: { name: 'REVIEWER', isCut: true, text: text.slice(-2_000) } },
    ]);
  });
});

describe('a step that is said again on the AI SDK wire', () => {
  it('leaves parts that the message’s metadata names, whichever had ended before', async () => {
    const url = 'https://a.example/';
    const sent = (text: string): TurnEventBody[] => [
      stepStarted,
      { type: 'thinking.delta', step: 1, text: `thinks of ${text}` },
      { type: 'text.delta', step: 1, text },
      { type: 'source.cited', step: 1, source: { type: 'web', title: text, url } },
    ];
    const discarded: TurnEventBody = { type: 'step.discarded', step: 1 };
    const events = log(...sent('Half a'), discarded, ...sent('Half a loaf.'), turnEnded());
    const message = await readUiMessage('6', chunksOf(encode(events)));
    const { discarded: gone = [] } = (message?.metadata ?? {}) as { discarded?: string[] };
    const left = message?.parts.filter((part) => !gone.includes(idOf(part) ?? ''));
    expect(left?.filter((part) => idOf(part) !== undefined)).toMatchObject([
      { type: 'reasoning', text: 'thinks of Half a loaf.' },
      { type: 'text', text: 'Half a loaf.' },
      { type: 'source-url', title: 'Half a loaf.' },
    ]);
    expect(gone).toHaveLength(3);
  });
});

/** The id that `discarded` has for a part. */
function idOf(part: UIMessage['parts'][number]): string | undefined {
  if ('toolCallId' in part) return part.toolCallId;
  if ('sourceId' in part) return part.sourceId;
  if (part.type !== 'text' && part.type !== 'reasoning') return undefined;
  const { id } = part.providerMetadata?.['turnpike'] ?? {};
  return typeof id === 'string' ? id : undefined;
}

describe('the end on the AI SDK wire', () => {
  it.each([
    ['completed', 'end_turn', 'stop'],
    ['completed', 'refusal', 'content-filter'],
    ['limited', 'max_tokens', 'length'],
    ['limited', 'max_turns', 'other'],
    ['failed', 'SDK_FAILURE', 'error'],
  ])('of a turn that is %s for %s is the reason %s', (outcome, reason, finishReason) => {
    const chunks = chunksOf(encode(log(turnEnded({ outcome, reason }))));
    expect(chunks.at(-1)).toMatchObject({ type: 'finish', finishReason });
    expect(chunks.at(-1)).toMatchObject({ messageMetadata: { outcome, reason } });
  });
});
