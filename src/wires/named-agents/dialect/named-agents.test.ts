import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { golden, recordedTurns } from '../../../../test/golden/golden.js';
import { parseCursor } from '../../../events/cursor.js';
import {
  noUsage,
  type Source,
  type TurnEvent,
  type TurnEventBody,
} from '../../../events/turn-event.js';
import { type FrameWithCursor, formatFrame } from '../../framing/dialect.js';
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
const told = (...bodies: TurnEventBody[]): AgentFrame[] => parse(encode(log(...bodies))).slice(1);

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

  it('is what it was', () => {
    const text = frames.map(formatFrame).join('');
    expect(text).toBe(golden(`./holodeck/${name}.txt`, text));
  });

  it('begins once, and ends once', () => {
    expect([names[0], names.lastIndexOf('stream_start')]).toEqual(['stream_start', 0]);
    const ends = names.filter((one) => one === 'stream_end' || one === 'error');
    expect(ends).toEqual(names.slice(-1));
  });

  it('has the seed’s fields, and every frame on one line at a place of its own', () => {
    expect(new Set(frames.map((frame) => frame.id)).size).toBe(frames.length);
    for (const { data } of frames) expect(data).not.toMatch(/[\r\n]/);
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

  it('goes on after any frame with the rest, and nothing twice', () => {
    for (const [index, frame] of frames.entries()) {
      expect(encode(recorded, frame.id)).toEqual(frames.slice(index + 1));
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
const asked = (callId: string, step = 1): TurnEventBody => ({
  type: 'tool.requested',
  step,
  callId,
  name: 'read',
});
const args = (callId: string, json: string): TurnEventBody => ({
  type: 'tool.args.delta',
  callId,
  json,
});
const begun = (callId: string, input: unknown): TurnEventBody => ({
  type: 'tool.started',
  callId,
  name: 'read',
  input,
});
const answered = (
  callId: string,
  status: 'success' | 'error' | 'denied' | 'unknown' = 'success',
): TurnEventBody => ({
  type: 'tool.ended',
  callId,
  name: 'read',
  status,
  output: '',
  durationMs: 1,
});

describe('the beginning on the holodeck wire', () => {
  const start = {
    event: 'stream_start',
    data: { session_id: ids.sessionId, message_id: ids.messageId },
  };

  it.each<TurnEventBody>([
    { type: 'turn.queued', position: 3 },
    { type: 'turn.recovering', reason: 'r' },
    text(1, 'Hello'),
    ended(),
  ])('is stream_start, whatever comes first: %j', (first) => {
    expect(parse(encode(log(first)))[0]).toEqual(start);
  });

  it('comes once, also when the turn waits, and begins again after a crash', () => {
    const events = encode(
      log(
        { type: 'turn.queued', position: 1 },
        { type: 'step.started', step: 1 },
        { type: 'turn.recovering', reason: 'r' },
        { type: 'step.discarded', step: 1 },
      ),
    );
    expect(parse(events).filter(({ event }) => event === 'stream_start')).toEqual([start]);
  });
});

describe('a call on the holodeck wire', () => {
  it('streams its arguments as they come, and not again when they are whole', () => {
    const events = told(
      asked('a'),
      args('a', ''),
      args('a', '{"path"'),
      args('a', ':"x"}'),
      begun('a', { path: 'x' }),
      answered('a'),
    );
    expect(
      events.map(({ event, data }) => [event, 'args_delta' in data && data.args_delta]),
    ).toEqual([
      ['tool_call_start', false],
      ['tool_call_args', '{"path"'],
      ['tool_call_args', ':"x"}'],
      ['tool_call_end', false],
    ]);
  });

  it.each([
    [[begun('a', { path: 'x' }), answered('a')], '{"path":"x"}'],
    [[begun('a', {}), answered('a')], '{}'],
    [[begun('a', undefined), answered('a')], '{}'],
    [[answered('a', 'denied')], '{}'],
  ])('has its whole input where nothing of it was streamed: %#', (rest, expected) => {
    expect(callsIn(told(asked('a'), ...rest)).get('a')?.args).toBe(expected);
  });

  it.each([
    ['success', 'success'],
    ['error', 'error'],
    ['denied', 'error'],
    ['unknown', 'error'],
  ] as const)('that ended as %s is a %s', (status, expected) => {
    expect(callsIn(told(asked('a'), answered('a', status))).get('a')?.ends).toEqual([expected]);
  });

  it('of a discarded step ends as an error, others go on', () => {
    const events = told(
      asked('kept', 1),
      args('kept', '{}'),
      asked('lost', 2),
      args('lost', '{"pa'),
      { type: 'step.discarded', step: 2 },
      answered('kept'),
    );
    expect(events.slice(-3)).toEqual([
      { event: 'tool_call_end', data: { tool_call_id: 'lost', status: 'error' } },
      { event: 'message_reset', data: { message_id: ids.messageId, content: '' } },
      { event: 'tool_call_end', data: { tool_call_id: 'kept', status: 'success' } },
    ]);
  });

  it('that the end of the turn caught is ended before it', () => {
    const events = told(asked('a'), args('a', '{"pa'), ended({ outcome: 'interrupted' }));
    expect(events.slice(-2)).toEqual([
      { event: 'tool_call_end', data: { tool_call_id: 'a', status: 'error' } },
      { event: 'error', data: expect.anything() },
    ]);
  });
});

describe('the end on the holodeck wire', () => {
  it('has what the turn cost, cached input too', () => {
    expect(told(ended())).toEqual([
      {
        event: 'stream_end',
        data: {
          message_id: ids.messageId,
          tokens_used: { prompt_tokens: 35, completion_tokens: 7, total_tokens: 42 },
          execution_time_ms: 1_250,
          content: '',
        },
      },
    ]);
  });

  it('does not make up what the provider did not report', () => {
    expect(told(ended({ usage: noUsage }))[0]?.data).toMatchObject({ tokens_used: null });
  });

  it('says the limit, in the words of its notice where there is one', () => {
    const notice: TurnEventBody = {
      type: 'notice.posted',
      kind: 'limit-reached',
      level: 'step',
      text: 'Token budget reached.',
      metadata: { limit_value: 7 },
      seenByModel: false,
    };
    const end = ended({ outcome: 'limited', reason: 'token_budget' });
    expect(told(notice, end)[0]?.data).toMatchObject({
      limit: { reason: 'token_budget', message: 'Token budget reached.' },
      notices: [
        { kind: 'limit-reached', text: 'Token budget reached.', metadata: { limit_value: 7 } },
      ],
    });
  });

  it.each([
    ['max_tokens', /most tokens/],
    ['context_window', /window/],
    ['refusal', /declined/],
    ['something_new', /something_new/],
  ])('says the limit %s in words', (reason, words) => {
    const [end] = told(ended({ outcome: 'limited', reason }));
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
    const [error, ...more] = told(failed, ended({ outcome: 'failed', reason: errorType }));
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

  it('is an error without a failure, too', () => {
    const [error] = told(ended({ outcome: 'failed', reason: 'interrupted' }));
    expect(error?.data).toMatchObject({ status: 500, title: 'Agent error' });
  });

  it.each([
    ['interrupt', /interrupted\. /],
    ['disconnect', /reader/],
    ['session-deleted', /deleted/],
    ['something-new', /interrupted/],
  ])('is an error for a turn that %s ended', (reason, words) => {
    const [error] = told(ended({ outcome: 'interrupted', reason }));
    expect(error?.data).toMatchObject({
      type: 'https://turnpike.dev/docs/errors/interrupted',
      title: 'Interrupted',
      status: 499,
      detail: expect.stringMatching(words),
    });
  });

  it('has what was cited, and not what a discarded step cited', () => {
    const cited = (step: number, title: string): TurnEventBody => ({
      type: 'source.cited',
      step,
      source: { type: 'document', title },
    });
    const end = told(
      cited(1, 'a'),
      cited(2, 'lost'),
      { type: 'step.discarded', step: 2 },
      cited(2, 'b'),
      ended(),
    ).at(-1);
    expect(end?.data).toMatchObject({
      sources: [expect.objectContaining({ title: 'a' }), expect.objectContaining({ title: 'b' })],
    });
  });

  it('says of a source what is known of it', () => {
    const cited = (source: Source): TurnEventBody => ({ type: 'source.cited', step: 1, source });
    const location = { unit: 'page', start: 1, end: 2 } as const;
    const citedText = 'x'.repeat(600);
    const end = told(
      cited({ type: 'web', title: '', url: 'https://a.example/', citedText }),
      cited({ type: 'document', title: 'a.pdf', location }),
      ended(),
    ).at(-1);
    expect(end?.data).toMatchObject({
      sources: [
        { type: 'web', title: '', url: 'https://a.example/', cited_text: citedText },
        { type: 'document', title: 'a.pdf', location },
      ],
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

  it('comes after what the deltas did not say, whatever they said', () => {
    const steps = fc.array(fc.array(fc.string(), { maxLength: 3 }), { maxLength: 4 });
    fc.assert(
      fc.property(steps, fc.string(), (written, note) => {
        const deltas = written.flatMap((parts, step) => parts.map((part) => text(step + 1, part)));
        const reply = written.flat().join('') + note;
        const events = parse(encode(log(...deltas, ended({ text: reply }))));
        const content = events.map((one) => (one.event === 'message_delta' ? one.data.delta : ''));
        expect(content.join('')).toBe(reply);
      }),
    );
  });
});
