import { EventSchemas } from '@ag-ui/core/schemas';
import { describe, expect, it } from '@jest/globals';
import { recordedTurns, testRecordedStreams, waitsOf } from '../../../../test/golden/golden.js';
import { parseCursor } from '../../../events/cursor.js';
import { noUsage, type TurnEvent, type TurnEventBody } from '../../../events/turn-event.js';
import type { FrameWithCursor } from '../../framing/dialect.js';
import { TurnEncoder } from '../../framing/turn-encoder.js';
import { agUiDialect } from './ag-ui.js';
import { addCall, snapshotEvents, type IdleRun } from './ag-ui-frames.js';
import type { AgUiRun } from './ag-ui-run.js';

type Json = Record<string, unknown> & { type: string };

const turnId = 'turn_1';

function runOf(more: Partial<AgUiRun> = {}): AgUiRun {
  return {
    threadId: 'thread-1',
    runId: 'run-1',
    turnId,
    answered: [],
    from: 'answers',
    state: { type: 'known', value: { mine: 1 } },
    before: [{ id: 'u1', role: 'user', content: 'Hello' }],
    sendsHistory: false,
    isOld: false,
    ...more,
  };
}

function encode(events: readonly TurnEvent[], run = runOf(), after?: string): FrameWithCursor[] {
  const cursor = after === undefined ? undefined : parseCursor(turnId, after);
  const encoder = new TurnEncoder(agUiDialect(run), turnId, cursor);
  return events.flatMap((event) => encoder.encode(event));
}

const parse = (frames: readonly FrameWithCursor[]): Json[] =>
  frames.map(({ data }) => JSON.parse(data) as Json);

/** Questions with an answer in the log, those of subagents included. */
function decidedIn(events: readonly TurnEvent[]): string[] {
  return events.flatMap((event) => {
    if (event.type === 'subagent.told') return decidedIn([event.event]);
    return event.type === 'approval.resolved' ? event.approvalId : [];
  });
}

describe.each(recordedTurns())('the AG-UI wire of %s', (name, events) => {
  const waits = waitsOf(events, 'answer');
  /** A run for all answers of each wait, and one for the last answer alone. */
  const answers = [
    [],
    ...waits,
    ...waits.filter((ids) => ids.length > 1).map((ids) => ids.slice(-1)),
  ];
  const runs = answers.map((answered, index) => runOf({ runId: `run-${index + 1}`, answered }));
  const streams = runs.map((run) => ({
    frames: encode(events, run),
    resume: (after: string) => encode(events, run, after),
  }));
  testRecordedStreams(`ag-ui/${name}`, streams);

  it('has events of which the protocol knows each field', () => {
    for (const { frames } of streams) {
      for (const event of parse(frames)) expect(EventSchemas.parse(event)).toEqual(event);
    }
  });

  it('begins each run once and ends it once', () => {
    for (const { frames } of streams) {
      const types = parse(frames).map(({ type }) => type);
      expect(types[0]).toBe('RUN_STARTED');
      expect(types.at(-1)).toMatch(/^RUN_(FINISHED|ERROR)$/);
      expect(types.filter((type) => type.startsWith('RUN_'))).toHaveLength(2);
    }
  });

  it('is in one run for a client that comes back, whatever was answered meanwhile', () => {
    const state = { type: 'known', value: undefined } as const;
    const answered = decidedIn(events);
    const got = parse(encode(events, runOf({ answered, from: 'turn', state, sendsHistory: true })));
    for (const event of got) EventSchemas.parse(event);
    expect(got.slice(0, 2).map(({ type }) => type)).toEqual(['RUN_STARTED', 'MESSAGES_SNAPSHOT']);
    expect(got.at(-1)?.['outcome'] ?? {}).not.toMatchObject({ type: 'interrupt' });
    // Outputs of the client's own tools too, which the client lacks.
    const ended = events.flatMap((event) => (event.type === 'tool.ended' ? event.callId : []));
    const results = got.flatMap(({ type, toolCallId }) =>
      type === 'TOOL_CALL_RESULT' ? [toolCallId] : [],
    );
    expect(results).toEqual(expect.arrayContaining(ended));
  });

  it('differs for a client of the protocol before 1.0 in its end alone', () => {
    const [old, today] = [true, false].map((isOld) => parse(encode(events, runOf({ isOld }))));
    expect(old?.slice(0, -1)).toEqual(today?.slice(0, -1));
  });
});

it('adds to a state that the server does not know, and leaves the rest of it', () => {
  const [, [first] = []] = recordedTurns().find(([name]) => name === 'plain-reply') ?? [];
  const frames = encode(first ? [first] : [], runOf({ state: { type: 'unknown' } }));
  expect(parse(frames)[1]).toMatchObject({
    type: 'STATE_DELTA',
    delta: [{ op: 'add', path: '/turnpike' }],
  });
});

describe('addCall', () => {
  it('counts cached input as a part of the input, for each model', () => {
    const usage = { inputTokens: 1, outputTokens: 2, cacheReadTokens: 3, cacheWriteTokens: 4 };
    const counted = {
      model: 'm',
      inputTokens: 8,
      outputTokens: 2,
      totalTokens: 10,
      cachedInputTokens: 3,
      cacheWriteInputTokens: 4,
    };
    expect(addCall([], 'm', usage)).toEqual([counted]);
    expect(addCall([counted], 'other', usage)).toHaveLength(2);
    expect(addCall([counted], 'm', usage)[0]).toMatchObject({ totalTokens: 20 });
  });

  it('tells of thinking where some call said it', () => {
    const thought = addCall([], 'm', { ...noUsage, outputTokens: 9, thinkingTokens: 5 });
    expect(thought[0]).toMatchObject({ reasoningTokens: 5 });
    expect(addCall(thought, 'm', { ...noUsage, outputTokens: 1 })[0]?.reasoningTokens).toBe(5);
  });
});

describe('a run without anything new, where no turn runs', () => {
  const reading: IdleRun = {
    threadId: 't',
    runId: 'r',
    messages: [
      { id: 'u1', role: 'user', content: 'Hello' },
      { id: 'a1', role: 'assistant', content: 'Good day' },
    ],
    state: { mine: 1 },
    last: {
      sessionId: 'sess_1',
      turnId: 'turn_1',
      agent: 'READER',
      model: 'claude-x',
      status: 'completed',
      usage: noUsage,
      contextTokens: 12,
      todos: null,
      notices: [],
    },
  };

  it('is the conversation and the state', () => {
    const events = snapshotEvents(reading);
    for (const event of events) EventSchemas.parse(event);
    expect(events).toMatchObject([
      { type: 'RUN_STARTED', threadId: 't', runId: 'r' },
      { type: 'MESSAGES_SNAPSHOT', messages: reading.messages },
      { type: 'STATE_SNAPSHOT', snapshot: { mine: 1, turnpike: reading.last } },
      { type: 'RUN_FINISHED', threadId: 't', runId: 'r', outcome: { type: 'success' } },
    ]);
  });

  it('has no turn in the state of a thread without one', () => {
    const events = snapshotEvents({ ...reading, messages: [], state: undefined, last: undefined });
    for (const event of events) EventSchemas.parse(event);
    expect(events[2]).toEqual({ type: 'STATE_SNAPSHOT', snapshot: {} });
  });
});

describe('a question that others decide', () => {
  it('says who decides', () => {
    const awaits = [{ by: ['release'], count: 2, notRequester: true }];
    const terms = { kind: 'tool', reason: '', expiresAt: '', onTimeout: 'deny' } as const;
    const about = { approvalId: 'appr_1', callId: 'c1', name: 'write', input: {} };
    const bodies: TurnEventBody[] = [
      { type: 'step.started', step: 1 },
      { type: 'tool.requested', step: 1, callId: 'c1', name: 'write' },
      { type: 'approval.requested', ...about, ...terms, awaits },
      { type: 'turn.parked', approvalIds: ['appr_1'] },
    ];
    const events = bodies.map((body, index) => ({ ...body, attempt: 1, seq: index + 1, at: '' }));
    expect(parse(encode(events)).at(-1)).toMatchObject({
      type: 'RUN_FINISHED',
      outcome: { interrupts: [{ id: 'appr_1', metadata: { turnpike: { awaits } } }] },
    });
  });
});
