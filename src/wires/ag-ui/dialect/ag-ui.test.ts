import { EventSchemas } from '@ag-ui/core/schemas';
import { describe, expect, it } from '@jest/globals';
import { golden, recordedTurns } from '../../../../test/golden/golden.js';
import { verifyAgUi } from '../../../../test/support/clients/verify-ag-ui.js';
import { parseCursor } from '../../../events/cursor.js';
import { noUsage, type TurnEvent, type TurnEventBody } from '../../../events/turn-event.js';
import type { FrameWithCursor } from '../../framing/dialect.js';
import { TurnEncoder } from '../../framing/turn-encoder.js';
import { followTurn } from '../../framing/follow-turn.js';
import { openSegment } from '../../framing/segment.js';
import { startView } from '../../framing/turn-view.js';
import { agUiDialect } from './ag-ui.js';
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

const toText = (frames: readonly FrameWithCursor[]): string =>
  frames.map(({ id, data }) => `id: ${id}\ndata: ${data}\n\n`).join('');

function log(...bodies: TurnEventBody[]): TurnEvent[] {
  return bodies.map((body, index) => ({ ...body, attempt: 1, seq: index + 1, at: '' }));
}

describe.each(recordedTurns())('the AG-UI wire of %s', (name, events) => {
  const frames = encode(events);

  it('is what it was', () => {
    const text = toText(frames);
    expect(text).toBe(golden(`./ag-ui/${name}.txt`, text));
  });

  it('is what the protocol’s client takes, and nothing of it is unknown', () => {
    verifyAgUi(parse(frames));
    for (const event of parse(frames)) {
      expect(EventSchemas.parse(event)).toEqual(event);
    }
  });

  it('begins once and ends once', () => {
    const types = parse(frames).map(({ type }) => type);
    expect(types[0]).toBe('RUN_STARTED');
    expect(types.at(-1)).toMatch(/^RUN_(FINISHED|ERROR)$/);
    expect(types.filter((type) => type.startsWith('RUN_'))).toHaveLength(2);
  });

  it('gives every frame a place of its own, and goes on after any with the rest', () => {
    expect(new Set(frames.map(({ id }) => id)).size).toBe(frames.length);
    for (const [index, frame] of frames.entries()) {
      expect(frame.data).not.toMatch(/[\r\n]/);
      expect(encode(events, runOf(), frame.id)).toEqual(frames.slice(index + 1));
    }
  });
});

/** The runs of a turn whose client answers all that each waits for. */
function runsOf(events: readonly TurnEvent[]): FrameWithCursor[][] {
  const runs: FrameWithCursor[][] = [];
  for (let answered: readonly string[] = [], isOver = false; !isOver;) {
    const run = runOf({ runId: `run-${runs.length + 1}`, answered });
    runs.push(encode(events, run));
    let view = startView(openSegment(answered, 'answer'));
    for (const event of events) ({ view } = followTurn(view, event));
    answered = view.segment?.waitsFor ?? [];
    isOver = answered.length === 0;
  }
  return runs;
}

it('says a turn that waits for people in runs, each of them whole', () => {
  const [, events] = recordedTurns().find(([name]) => name === 'parked-for-people') ?? ['', []];
  const runs = runsOf(events);
  expect(runs.length).toBeGreaterThan(1);
  for (const frames of runs) verifyAgUi(parse(frames));
  const ids = runs.flatMap((frames) => frames.map(({ id }) => id));
  const text = runs.map(toText).join('\n');
  expect(new Set(ids).size).toBe(ids.length);
  expect(text).toBe(golden('./ag-ui/parked-for-people-in-runs.txt', text));
});

const started: TurnEventBody = {
  type: 'turn.started',
  sessionId: 'sess_1',
  messageId: 'msg_1',
  agent: 'WRITER',
  model: 'claude-x',
  providerSessionId: 'claude_1',
  resumed: false,
};
const step = (number: number): TurnEventBody => ({ type: 'step.started', step: number });
const text = (of: number, content: string): TurnEventBody => ({
  type: 'text.delta',
  step: of,
  text: content,
});
const requested = (callId: string, name: string, of = 1): TurnEventBody => ({
  type: 'tool.requested',
  step: of,
  callId,
  name,
});
const running = (callId: string, name: string, input: unknown): TurnEventBody => ({
  type: 'tool.started',
  callId,
  name,
  input,
});
const toolEnded = (callId: string, name: string, output: string): TurnEventBody => ({
  type: 'tool.ended',
  callId,
  name,
  status: 'success',
  output,
  durationMs: 1,
});
const asked = (
  approvalId: string,
  callId: string,
  kind: 'tool' | 'client-tool',
): TurnEventBody => ({
  type: 'approval.requested',
  approvalId,
  callId,
  name: kind === 'tool' ? 'write' : 'pick_colour',
  input: { a: 1 },
  kind,
  reason: 'write needs an approval',
  expiresAt: '2026-01-01T00:10:00.000Z',
  onTimeout: 'deny',
});
const resolved = (
  approvalId: string,
  callId: string,
  decision: 'approve' | 'answer',
): TurnEventBody => ({ type: 'approval.resolved', approvalId, callId, decision, by: 'ann' });
const parked = (...approvalIds: string[]): TurnEventBody => ({ type: 'turn.parked', approvalIds });
const stepEnded = (number: number): TurnEventBody => ({
  type: 'step.ended',
  step: number,
  stopReason: 'end_turn',
  usage: { ...noUsage, inputTokens: 10, cacheReadTokens: 5, outputTokens: 2 },
});
const ended = (
  more: Partial<Extract<TurnEventBody, { type: 'turn.ended' }>> = {},
): TurnEventBody => ({
  type: 'turn.ended',
  outcome: 'completed',
  exitCode: 0,
  reason: 'end_turn',
  text: '',
  usage: noUsage,
  durationMs: 1,
  ...more,
});

const waiting = log(
  started,
  step(1),
  text(1, 'Let me.'),
  requested('c1', 'write'),
  requested('c2', 'pick_colour'),
  asked('appr_1', 'c1', 'tool'),
  asked('appr_2', 'c2', 'client-tool'),
  parked('appr_1', 'appr_2'),
  resolved('appr_2', 'c2', 'answer'),
  parked('appr_1'),
  resolved('appr_1', 'c1', 'approve'),
  running('c1', 'write', { a: 1 }),
  toolEnded('c1', 'write', 'written'),
  toolEnded('c2', 'pick_colour', 'red'),
  stepEnded(1),
  step(2),
  text(2, 'Done.'),
  stepEnded(2),
  ended({ text: 'Let me.Done.' }),
);

describe('a run that waits', () => {
  it('ends with what it waits for, and everything it began is ended', () => {
    const events = parse(encode(waiting));
    verifyAgUi(events);
    expect(events.at(-1)).toMatchObject({
      type: 'RUN_FINISHED',
      threadId: 'thread-1',
      runId: 'run-1',
      outcome: {
        type: 'interrupt',
        interrupts: [
          {
            id: 'appr_1',
            reason: 'tool_call',
            message: 'write needs an approval',
            toolCallId: 'c1',
            expiresAt: '2026-01-01T00:10:00.000Z',
            responseSchema: { required: ['approved'] },
          },
        ],
      },
      metadata: { turnpike: { pendingToolCallIds: ['c2'] } },
    });
    const args = events.filter(({ type }) => type === 'TOOL_CALL_ARGS');
    expect(args.map(({ delta }) => delta)).toEqual(['{"a":1}', '{"a":1}']);
  });

  it('is a success where only the client’s own tools are left', () => {
    const calls = log(
      started,
      step(1),
      requested('c2', 'pick_colour'),
      asked('appr_2', 'c2', 'client-tool'),
      parked('appr_2'),
    );
    const events = parse(encode(calls));
    verifyAgUi(events);
    expect(events.at(-1)?.['outcome']).toEqual({ type: 'success', pendingToolCallIds: ['c2'] });
  });

  it('goes on in another run, which says what came after the answers', () => {
    const run = runOf({ runId: 'run-2', answered: ['appr_1', 'appr_2'] });
    const events = parse(encode(waiting, run));
    verifyAgUi(events);
    expect(events[0]).toMatchObject({ type: 'RUN_STARTED', runId: 'run-2' });
    const results = events.filter(({ type }) => type === 'TOOL_CALL_RESULT');
    // The client has the output of its own tool.
    expect(results.map(({ toolCallId }) => toolCallId)).toEqual(['c1']);
    expect(events.filter(({ type }) => type === 'TOOL_CALL_START')).toEqual([]);
    expect(events.find(({ type }) => type === 'STATE_SNAPSHOT')?.['snapshot']).toMatchObject({
      mine: 1,
      turnpike: { sessionId: 'sess_1', turnId, status: 'running' },
    });
    expect(events.at(-1)).toMatchObject({
      outcome: { type: 'success' },
      result: { outcome: 'completed', text: 'Let me.Done.' },
      // Tokens of this run alone.
      usage: [{ model: 'claude-x', inputTokens: 30, outputTokens: 4, cachedInputTokens: 10 }],
    });
  });

  it('waits again for what was not answered', () => {
    const events = parse(encode(waiting, runOf({ answered: ['appr_2'] })));
    verifyAgUi(events);
    expect(events.at(-1)).toMatchObject({
      outcome: { type: 'interrupt', interrupts: [{ id: 'appr_1' }] },
    });
    expect(events.map(({ type }) => type)).not.toContain('TOOL_CALL_RESULT');
  });

  it('goes on after any of its frames with the rest', () => {
    for (const answered of [[], ['appr_2'], ['appr_1', 'appr_2']]) {
      const frames = encode(waiting, runOf({ answered }));
      for (const [index, { id }] of frames.entries()) {
        expect(encode(waiting, runOf({ answered }), id)).toEqual(frames.slice(index + 1));
      }
    }
  });

  it('suspends a subagent that asks, and goes on with it', () => {
    const told = (body: TurnEventBody, seq: number): TurnEventBody => ({
      type: 'subagent.told',
      callId: 'c1',
      childTurnId: 'turn_2',
      event: { ...body, attempt: 1, seq, at: '' },
    });
    const events = log(
      started,
      step(1),
      requested('c1', 'task'),
      running('c1', 'task', {}),
      { type: 'subagent.started', callId: 'c1', childTurnId: 'turn_2', agent: 'CHILD' },
      told({ ...started, agent: 'CHILD', model: 'claude-y' }, 1),
      told(step(1), 2),
      told(requested('d1', 'write'), 3),
      told(asked('appr_9', 'd1', 'tool'), 4),
      told(parked('appr_9'), 5),
      told(resolved('appr_9', 'd1', 'approve'), 6),
      told(running('d1', 'write', { a: 1 }), 7),
      told(toolEnded('d1', 'write', 'ok'), 8),
      told(stepEnded(1), 9),
      told(ended(), 10),
      {
        type: 'subagent.ended',
        callId: 'c1',
        childTurnId: 'turn_2',
        outcome: 'completed',
        usage: noUsage,
      },
      toolEnded('c1', 'task', 'done'),
      stepEnded(1),
      ended(),
    );
    const first = parse(encode(events));
    verifyAgUi(first);
    expect(first.at(-1)).toMatchObject({
      outcome: { interrupts: [{ id: 'appr_9', subagentRunId: 'turn_2', toolCallId: 'd1' }] },
    });
    expect(first).toContainEqual({
      type: 'SUBAGENT_FINISHED',
      subagentRunId: 'turn_2',
      outcome: { type: 'suspended', interruptIds: ['appr_9'] },
    });
    const second = parse(encode(events, runOf({ answered: ['appr_9'] })));
    verifyAgUi(second);
    expect(second.filter(({ type }) => type.startsWith('SUBAGENT'))).toMatchObject([
      { type: 'SUBAGENT_STARTED', name: 'CHILD', parentToolCallId: 'c1' },
      { type: 'SUBAGENT_FINISHED', outcome: { type: 'success' } },
    ]);
    expect(second.at(-1)).toMatchObject({ usage: [{ model: 'claude-y' }, { model: 'claude-x' }] });
  });
});

describe('a run', () => {
  it('tells the conversation to a client that lacks it', () => {
    const events = parse(encode(log(started, ended()), runOf({ sendsHistory: true })));
    verifyAgUi(events);
    expect(events[1]).toEqual({
      type: 'MESSAGES_SNAPSHOT',
      messages: [{ id: 'u1', role: 'user', content: 'Hello' }],
    });
  });

  it('takes back what a step said that is said again', () => {
    const thinking: TurnEventBody = { type: 'thinking.delta', step: 2, text: 'Hm' };
    const events = parse(
      encode(
        log(
          started,
          step(1),
          text(1, 'First.'),
          stepEnded(1),
          step(2),
          thinking,
          text(2, 'Half'),
          requested('c1', 'read', 2),
          { type: 'step.discarded', step: 2 },
          step(2),
          text(2, 'Whole.'),
          stepEnded(2),
          ended({ text: 'First.Whole.' }),
        ),
      ),
    );
    verifyAgUi(events);
    const snapshot = events.find(({ type }) => type === 'MESSAGES_SNAPSHOT');
    expect(snapshot?.['messages']).toEqual([
      { id: 'u1', role: 'user', content: 'Hello' },
      { id: 'msg_1-1', role: 'assistant', content: 'First.' },
      { id: 'msg_1-2-thinking', role: 'reasoning', content: '' },
    ]);
  });

  it('says at its end what no delta said', () => {
    const events = parse(
      encode(log(started, step(1), text(1, 'A'), stepEnded(1), ended({ text: 'A (limit)' }))),
    );
    verifyAgUi(events);
    expect(events).toContainEqual({
      type: 'TEXT_MESSAGE_CONTENT',
      messageId: 'msg_1-end',
      delta: ' (limit)',
    });
  });

  it('is cancelled, or an error, as its turn is', () => {
    const cancelled = parse(encode(log(started, step(1), ended({ outcome: 'interrupted' }))));
    verifyAgUi(cancelled);
    expect(cancelled.at(-1)).toMatchObject({ outcome: { type: 'cancelled' } });
    const failed = parse(
      encode(log(ended({ outcome: 'failed', reason: 'SDK_FAILURE' })), runOf({})),
    );
    verifyAgUi(failed);
    expect(failed.at(-1)).toMatchObject({ type: 'RUN_ERROR', code: 'SDK_FAILURE' });
  });

  it('adds to a state that it does not know, and lets the rest be', () => {
    const events = parse(encode(log(started, ended()), runOf({ state: { type: 'unknown' } })));
    expect(events[1]).toMatchObject({
      type: 'STATE_DELTA',
      delta: [{ op: 'add', path: '/turnpike' }],
    });
  });
});
