import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { recordedTurns, testRecordedStreams } from '../../../../test/golden/golden.js';
import { parseCursor } from '../../../events/cursor.js';
import { noUsage, type TurnEvent, type TurnEventBody } from '../../../events/turn-event.js';
import type { FrameWithCursor } from '../../framing/dialect.js';
import { TurnEncoder } from '../../framing/turn-encoder.js';
import type { ErrorCode } from '../../../errors/error-table.js';
import type { AgentFrame } from './agent-frames.js';
import { namedAgentsDialect } from './named-agents.js';

const turnId = 'turn_1';
const ids = { sessionId: '01ARZ3NDEKTSV4RRFFQ69G5FAV', messageId: '01ARZ3NDEKTSV4RRFFQ69G5FAW' };

function encode(events: readonly TurnEvent[], after?: string): FrameWithCursor[] {
  const cursor = after === undefined ? undefined : parseCursor(turnId, after);
  const encoder = new TurnEncoder(namedAgentsDialect(ids), turnId, cursor);
  return events.flatMap((event) => encoder.encode(event));
}

const parse = (frames: readonly FrameWithCursor[]): AgentFrame[] =>
  frames.map(({ event, data }) => ({ event, data: JSON.parse(data) as unknown }) as AgentFrame);

function log(...bodies: TurnEventBody[]): TurnEvent[] {
  return bodies.map((body, index) => ({ ...body, attempt: 1, seq: index + 1, at: '' }));
}

/** The events of a stream after the first, which every stream has. */
const framesOf = (...bodies: TurnEventBody[]): AgentFrame[] =>
  parse(encode(log(...bodies))).slice(1);

/** Events of each call, in order; fragments of its arguments joined. */
function callsIn(events: readonly AgentFrame[]) {
  const calls = new Map<string, { open: boolean; args: string; ends: string[] }>();
  for (const { event, data } of events) {
    if (event === 'tool_call_start') {
      calls.set(data.tool_call_id, { open: true, args: '', ends: [] });
    } else if (event === 'tool_call_args' || event === 'tool_call_end') {
      const call = calls.get(data.tool_call_id);
      if (call?.open !== true) throw new Error(`${event} outside of ${data.tool_call_id}`);
      if (event === 'tool_call_args') call.args += data.args_delta;
      else Object.assign(call, { open: false, ends: [...call.ends, data.status] });
    }
  }
  return calls;
}

/** The answer as a client that knows `message_reset` puts it together. */
const answerOf = (events: readonly AgentFrame[]): string =>
  events.reduce((answer, { event, data }) => {
    if (event === 'message_reset') return data.content;
    return event === 'message_delta' ? answer + data.delta : answer;
  }, '');

/** Fields of each event's data that are always there, and those that may be. */
const fields: Record<AgentFrame['event'], { always: string[]; sometimes?: string[] }> = {
  stream_start: { always: ['session_id', 'message_id'] },
  message_delta: { always: ['delta', 'message_id'] },
  message_reset: { always: ['content', 'message_id'] },
  tool_call_start: { always: ['tool_call_id', 'name', 'message_id'] },
  tool_call_args: { always: ['tool_call_id', 'args_delta'] },
  tool_call_end: { always: ['tool_call_id', 'status'] },
  stream_end: {
    always: ['message_id', 'tokens_used', 'execution_time_ms', 'content'],
    sometimes: ['output', 'sources', 'limit', 'notices'],
  },
  error: {
    always: ['type', 'title', 'status', 'detail', 'retryable'],
    sometimes: ['retryAfterMs', 'requestId'],
  },
};

describe.each(recordedTurns())('the holodeck wire of %s', (name, recorded) => {
  const frames = encode(recorded);
  const events = parse(frames);
  const names = events.map(({ event }) => event);
  testRecordedStreams(`holodeck/${name}`, [{ frames, resume: (after) => encode(recorded, after) }]);

  it('begins once, and ends once', () => {
    expect([names[0], names.lastIndexOf('stream_start')]).toEqual(['stream_start', 0]);
    const ends = names.filter((one) => one === 'stream_end' || one === 'error');
    expect(ends).toEqual(names.slice(-1));
  });

  it('has the fields of the contract', () => {
    for (const { event, data } of events) {
      const { always, sometimes = [] } = fields[event];
      expect([event, Object.keys(data)]).toEqual([event, expect.arrayContaining(always)]);
      const known = expect.arrayContaining(Object.keys(data));
      expect([event, [...always, ...sometimes]]).toEqual([event, known]);
    }
  });

  it('ends every call it begins, once; arguments of what ran are JSON', () => {
    for (const { open, args, ends } of callsIn(events).values()) {
      expect([open, ends.length]).toEqual([false, 1]);
      // Arguments that were cut off are no JSON, and their call did not run.
      if (ends[0] === 'success') expect(typeof JSON.parse(args)).toBe('object');
    }
  });
});

function ended(more: Partial<Extract<TurnEventBody, { type: 'turn.ended' }>> = {}): TurnEventBody {
  return {
    type: 'turn.ended',
    outcome: 'completed',
    exitCode: 0,
    reason: 'end_turn',
    text: '',
    usage: { inputTokens: 5, cacheReadTokens: 10, cacheWriteTokens: 20, outputTokens: 7 },
    durationMs: 1_250,
    ...more,
  };
}

const text = (step: number, content: string): TurnEventBody => ({
  type: 'text.delta',
  step,
  text: content,
});
describe('the end on the holodeck wire', () => {
  it.each([
    ['max_tokens', /most tokens/],
    ['context_window', /window/],
    ['refusal', /declined/],
    ['something_new', /something_new/],
  ])('says the limit %s in words', (reason, words) => {
    const [end] = framesOf(ended({ outcome: 'limited', reason }));
    expect(end?.data).toMatchObject({ limit: { reason, message: expect.stringMatching(words) } });
  });

  it.each<[ErrorCode, number, number]>([
    ['SDK_FAILURE', 529, 529],
    ['SDK_FAILURE', 401, 502],
    ['PERSONA_NOT_FOUND', 404, 404],
  ])('is the failure %s of status %d, as %d', (errorType, status, shown) => {
    const failed: TurnEventBody = {
      type: 'turn.failed',
      phase: 'mid-stream',
      errorType,
      message: 'What happened',
      status,
      severity: 'error',
      fatal: true,
      retryable: true,
      requestId: 'req_1',
    };
    const [error, ...more] = framesOf(failed, ended({ outcome: 'failed', reason: errorType }));
    expect(more).toEqual([]);
    const slug = errorType.toLowerCase().replaceAll('_', '-');
    expect(error).toEqual({
      event: 'error',
      data: {
        type: `https://turnpike.dev/docs/errors/${slug}`,
        title: expect.any(String),
        status: shown,
        detail: 'What happened',
        retryable: true,
        requestId: 'req_1',
      },
    });
  });

  it('has no tokens where the provider reported none', () => {
    expect(framesOf(ended({ usage: noUsage }))[0]?.data).toMatchObject({ tokens_used: null });
  });

  it('is an error without a failure, too', () => {
    const [error] = framesOf(ended({ outcome: 'failed', reason: 'interrupted' }));
    expect(error?.data).toMatchObject({ status: 500, title: 'Agent error' });
  });

  it.each([
    ['interrupt', /interrupted\. /],
    ['disconnect', /reader/],
    ['session-deleted', /deleted/],
    ['something-new', /interrupted/],
  ])('is an error for a turn that %s ended', (reason, words) => {
    const [error] = framesOf(ended({ outcome: 'interrupted', reason }));
    expect(error?.data).toMatchObject({
      type: 'https://turnpike.dev/docs/errors/interrupted',
      title: 'Interrupted',
      status: 499,
      detail: expect.stringMatching(words),
    });
  });

  it('has the whole answer, which a client that takes resets has by then, whatever a crash lost', () => {
    const pieces = fc.array(fc.string({ minLength: 1 }), { maxLength: 4 });
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 3 }), pieces, pieces, (kept, lost, again) => {
        const step = kept.length + 1;
        const before = kept.flatMap((content, index) =>
          content.map((part) => text(index + 1, part)),
        );
        const answer = [...kept.flat(), ...again].join('');
        const crashed = log(...before, ...lost.map((part) => text(step, part)));
        const recovery = [
          { type: 'turn.recovering', reason: 'r' },
          { type: 'step.discarded', step },
          ...again.map((part) => text(step, part)),
          ended({ text: answer }),
        ].map((body, index) => ({ ...body, attempt: 2, seq: index + 1, at: '' })) as TurnEvent[];
        const received = encode(crashed);
        // A log that lost its tail: the crashed attempt's last deltas, only the client has.
        const stored = [...log(...before), ...recovery];
        for (const events of [
          parse(encode([...crashed, ...recovery])),
          parse([...received, ...encode(stored, received.at(-1)?.id)]),
        ]) {
          expect(events.at(-1)?.data).toMatchObject({ content: answer });
          expect(answerOf(events)).toBe(answer);
        }
      }),
    );
  });
});
